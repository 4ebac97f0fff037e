package render_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"

	"github.com/momtree/mom/salt/render"
)

// newKey writes a private key into a folder and returns a function that encrypts to it.
func newKey(t *testing.T, dir string) func(text string) string {
	t.Helper()
	key, err := openpgp.NewEntity("salt", "", "salt@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := armor.Encode(&out, openpgp.PrivateKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := key.SerializePrivate(w, nil); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := os.WriteFile(filepath.Join(dir, "salt.asc"), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(text string) string {
		var out bytes.Buffer
		a, err := armor.Encode(&out, "PGP MESSAGE", nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := openpgp.Encrypt(a, []*openpgp.Entity{key}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, text)
		w.Close()
		a.Close()
		return out.String()
	}
}

func TestGPG(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := render.OpenKeyring(dir); err == nil {
		t.Error("a folder without keys is taken")
	}
	encrypt := newKey(t, dir)
	keys, err := render.OpenKeyring(dir)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.ReplaceAll(encrypt("s3cret"), "\n", "\n    ")
	source := "#!yaml|gpg\na: |\n    " + secret + "\nb: [plain, {c: \"x" + strings.ReplaceAll(encrypt("y"), "\n", `\n`) + "z\"}]\n"
	e := engine(t, render.Options{GPG: keys})
	got, err := e.SLS(t.Context(), render.Template{Source: []byte(source)}, "")
	if err != nil || repr(got) != "{'a': 's3cret', 'b': ['plain', {'c': 'xyz'}]}" {
		t.Errorf("%v, %v", repr(got), err)
	}
	_, err = engine(t, render.Options{}).SLS(t.Context(), render.Template{Source: []byte(source)}, "")
	refused(t, err, "there is no keyring")
	other := t.TempDir()
	foreign := newKey(t, other)("not ours")
	_, err = e.SLS(t.Context(), render.Template{Source: []byte("a: \"" + strings.ReplaceAll(foreign, "\n", `\n`) + "\"\n")}, "yaml|gpg")
	refused(t, err, "Could not decrypt")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := render.OpenKeyring(dir); err == nil || !strings.Contains(err.Error(), "chmod 0700") {
		t.Errorf("a folder that others may enter: %v", err)
	}
}

// The folder may be that of gpg, whose own files are not keys.
func TestGPG_FolderOfGPG(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	seal := newKey(t, dir)
	for name, text := range map[string]string{"trustdb.gpg": "\x01gpg\x03\x03\x01\x05", "pubring.gpg": "\x00", "pubring.kbx": "\x00"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k, err := render.OpenKeyring(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := k.Decrypt(t.Context(), []byte(seal("text"))); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other.gpg"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := render.OpenKeyring(dir); err == nil || !strings.Contains(err.Error(), "other.gpg") {
		t.Errorf("a file that is not a key: %v", err)
	}
}
