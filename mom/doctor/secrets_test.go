package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
)

// The folder that gpg had under Salt has keys that are to be written out first.
func TestExamine_Secrets(t *testing.T) {
	keys := t.TempDir()
	if err := os.Chmod(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	told := func(more string, l Level, what string) {
		t.Helper()
		r, err := Examine(site(t, more))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Level == l && f.Area == "secrets" && strings.Contains(f.What, what)
		}) {
			t.Errorf("%s: it does not tell %q: %+v", more, what, r.Findings)
		}
	}
	told("gpg_keydir: "+keys, Fails, "has no private key")
	told("decrypt_pillar: [a]\ngpg_keydir: "+keys+"/none", Fails, "cannot be opened")
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
	told("gpg_keydir: "+keys, Works, "can be read")
}
