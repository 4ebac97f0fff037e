package crypt

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuard: a directory of keys that others may write to, and a private key that others may
// read, are closed and reported, as Salt closes its pki_dir; modes that Salt allows stay.
func TestGuard(t *testing.T) {
	for name, c := range map[string]struct {
		dir, key       fs.FileMode
		permissive     bool
		dirNow, keyNow fs.FileMode
		found          string // texts, joined by |
	}{
		"as it should be":              {0o700, 0o400, false, 0o700, 0o400, ""},
		"what Salt allows":             {0o750, 0o600, false, 0o750, 0o600, ""},
		"as a folder is made":          {0o755, 0o400, false, 0o700, 0o400, ""},
		"open to all":                  {0o777, 0o644, false, 0o700, 0o400, "writable by all users|readable by other users"},
		"the group writes":             {0o770, 0o400, false, 0o700, 0o400, "writable by its group"},
		"the group may, by the option": {0o770, 0o440, true, 0o770, 0o440, ""},
		"the group reads the key":      {0o700, 0o440, false, 0o700, 0o400, "readable by other users"},
		"all, in spite of the option":  {0o777, 0o444, true, 0o700, 0o400, "writable by all users|readable by other users"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "pki")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			key := filepath.Join(dir, "master.pem")
			if err := os.WriteFile(key, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			for path, mode := range map[string]fs.FileMode{dir: c.dir, key: c.key} {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			found, err := Guard(dir, c.permissive, "master", "absent")
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range map[string]fs.FileMode{dir: c.dirNow, key: c.keyNow} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v, want %v (%v)", path, info.Mode().Perm(), want, err)
				}
			}
			words := strings.Split(c.found, "|")
			if c.found == "" {
				words = nil
			}
			if len(found) != len(words) {
				t.Fatalf("found %q, want %q", found, words)
			}
			for i, w := range words {
				if !strings.Contains(found[i], w) || !strings.Contains(found[i], dir) {
					t.Errorf("found %q, want %q", found[i], w)
				}
			}
		})
	}
}

func TestGuard_WrongFolders(t *testing.T) {
	dir := t.TempDir()
	if found, err := Guard(filepath.Join(dir, "absent"), false, "master"); err != nil || found != nil {
		t.Errorf("%v %v", found, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Guard(file, false, "master"); err == nil || !strings.Contains(err.Error(), file) {
		t.Error(err)
	}
}
