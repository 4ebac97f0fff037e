package posix

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if err := TryLock(first); err != nil {
		t.Fatal(err)
	}
	if err := TryLock(second); !errors.Is(err, ErrLocked) {
		t.Errorf("the second lock: %v", err)
	}
	if _, err := first.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "text" {
		t.Errorf("a locked file is read: %q, %v", b, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); err != nil {
		t.Error(err)
	}
}

func TestStatOf(t *testing.T) {
	dir := t.TempDir()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if st, ok := StatOf(info); !ok || st.Mode&0o700 != 0o700 {
		t.Errorf("%+v, %v", st, ok)
	}
	if !OwnedBy(info, os.Getuid()) {
		t.Error("the folder belongs to somebody else")
	}
	if !Access(dir, Readable) || Access(filepath.Join(dir, "none"), Exists) {
		t.Error("Access")
	}
	if u, ok := Uname(); !ok || u.System == "" || u.Machine == "" {
		t.Errorf("%+v, %v", u, ok)
	}
}
