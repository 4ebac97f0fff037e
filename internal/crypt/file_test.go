package crypt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
