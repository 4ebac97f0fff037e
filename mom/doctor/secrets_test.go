package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
)

// gpg's directory under Salt has keys that must be exported first.
func TestExamine_Secrets(t *testing.T) {
	keys := t.TempDir()
	if err := os.Chmod(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	reports := func(more string, l Level, what string) {
		t.Helper()
		r, err := Examine(site(t, more))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Level == l && f.Area == "secrets" && strings.Contains(f.What, what)
		}) {
			t.Errorf("%s: not reported: %q: %+v", more, what, r.Findings)
		}
	}
	reports("gpg_keydir: "+keys, Fails, "has no private key")
	reports("decrypt_pillar: [a]\ngpg_keydir: "+keys+"/none", Fails, "cannot be opened")
	key, err := openpgp.NewEntity("salt", "", "salt@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(keys, "salt.gpg"))
	if err != nil {
		t.Fatal(err)
	}
	if err := key.SerializePrivate(f, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	reports("gpg_keydir: "+keys, Works, "can be read")
}
