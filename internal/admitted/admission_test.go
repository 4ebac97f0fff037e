package admitted

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/crypt"
)

func lay(t *testing.T, pki, folder, id, text string) {
	t.Helper()
	dir := filepath.Join(pki, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, id), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func newKey(t *testing.T) *crypt.KeyPair {
	t.Helper()
	k, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// An admission applies to the existing key, accepted or pending, and can be withdrawn; without
// a key it fails. One master, two keys.
func TestAdmit(t *testing.T) {
	pki := t.TempDir()
	accepted, pending := newKey(t), newKey(t)
	lay(t, pki, "minions", "n1", accepted.PublicPEM)
	lay(t, pki, "minions_pre", "n1", pending.PublicPEM)
	lay(t, pki, "minions_pre", "n2", strings.ReplaceAll(pending.PublicPEM, "\n", "\r\n"))
	lay(t, pki, "minions", "broken", "no key")
	want := crypt.Finger(&accepted.Private.PublicKey)
	for range 2 { // twice has the same effect as once
		if got, err := Admit(pki, "n1"); err != nil || got != want {
			t.Fatalf("n1: %q, %v", got, err)
		}
	}
	if got, err := Admit(pki, "n2"); err != nil || got != crypt.Finger(&pending.Private.PublicKey) {
		t.Errorf("n2: %q, %v", got, err)
	}
	if _, err := Admit(pki, "nobody"); !errors.Is(err, ErrNoKey) {
		t.Errorf("nobody: %v", err)
	}
	for _, id := range []string{"", "../x", ".hidden", "a/b", "broken"} {
		if _, err := Admit(pki, id); err == nil {
			t.Errorf("admitted %q", id)
		}
	}
	if got, err := List(pki); err != nil || len(got) != 2 || got["n1"] != want {
		t.Errorf("listed %v, %v", got, err)
	}
	for _, was := range []bool{true, false} {
		if got, err := Withdraw(pki, "n1"); err != nil || got != was {
			t.Errorf("withdrawn: %v, %v", got, err)
		}
	}
	if got, err := List(pki); err != nil || len(got) != 1 {
		t.Errorf("left %v, %v", got, err)
	}
}

// Files that others may have written are ignored, and reported.
func TestRead_CountsOnlyWhatTheOwnerWrote(t *testing.T) {
	pki := t.TempDir()
	finger := strings.Repeat("0a", 32)
	for id, text := range map[string]string{"writable": finger, "empty": "", "short": "0a0a", "long": strings.Repeat("a", 300), "upper": strings.ToUpper(finger)} {
		lay(t, pki, Dir, id, text)
	}
	if err := os.Chmod(filepath.Join(pki, Dir, "writable"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("writable", filepath.Join(pki, Dir, "link")); err != nil {
		t.Fatal(err)
	}
	got, err := List(pki)
	if len(got) != 0 || err == nil || strings.Count(err.Error(), "\n") != 5 {
		t.Errorf("admissions %v, error %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(strings.Repeat("0a", 32) + "\n"))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if finger, err := parse(b); err == nil && !crypt.IsFinger(finger) {
			t.Errorf("%q is taken for a fingerprint", finger)
		}
	})
}
