package keys

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestValidID(t *testing.T) {
	for _, id := range []string{"m1", "web-1.example.com", "é", "a b", "x:y", "-", "a..b", strings.Repeat("x", 255), "~root"} {
		if err := ValidID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{
		"", ".", "..", ".hidden", "a/b", "/", `a\b`, "a\x00b", "a\nb", "\x1b[31m", "\x7f", "a\u009bb", "\xff", strings.Repeat("x", 256),
	} {
		if err := ValidID(id); !errors.Is(err, ErrBadID) {
			t.Errorf("%q: %v, want ErrBadID", id, err)
		}
	}
}

func FuzzValidID(f *testing.F) {
	for _, id := range []string{"m1", "..", "a/b", "\x00", ".x", "é"} {
		f.Add(id)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, id string) {
		if ValidID(id) != nil {
			return
		}
		path := filepath.Join(dir, id)
		if filepath.Dir(path) != dir || filepath.Base(path) != id {
			t.Fatalf("%q leaves its folder: %s", id, path)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatalf("%q is not a file name: %v", id, err)
		}
		_ = os.Remove(path)
	})
}
