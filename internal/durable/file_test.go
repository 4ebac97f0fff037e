package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The same fault has the same text, so that repeated faults are logged once.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	if err := Writable(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
	missing := filepath.Join(dir, "missing")
	one, two := Writable(missing), Writable(missing)
	if one == nil || two == nil || one.Error() != two.Error() || !errors.Is(one, fs.ErrNotExist) || !strings.Contains(one.Error(), missing) {
		t.Errorf("%v, then %v", one, two)
	}
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, write := range []func(string, []byte, fs.FileMode) error{WriteFile, WriteFileLazy} {
		for _, perm := range []fs.FileMode{0o400, 0o666} {
			if err := write(path, []byte(perm.String()), perm); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(path)
			if err != nil || string(b) != perm.String() {
				t.Errorf("%q, %v", b, err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if runtime.GOOS != "windows" && info.Mode().Perm() != perm {
				t.Errorf("mode %o, want %o", info.Mode().Perm(), perm)
			}
		}
	}
	if err := CreateFile(path, nil, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("CreateFile over a file: %v, want fs.ErrExist", err)
	}
	if err := WriteFile(filepath.Join(path, "below"), nil, 0o600); err == nil {
		t.Error("a file below a file was written")
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("temporary files left: %v, %v", entries, err)
	}
}
