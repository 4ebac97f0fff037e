package crypt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/posix"
)

// Guard restricts the modes of a directory of keys. The directory gets mode 0700 unless it has
// 0700 or 0750, or 0770 if permissive, as Salt's verify_env does it. The private keys name.pem
// of names in it get 0400 if others than the owner may read or write them. found describes what
// was open, for the log: a user who could read a key may have it, and one who could write to the
// directory may have replaced one. Guard returns an error if something stays open to all, since
// its mode cannot be changed. A missing directory is not an error. On Windows it restricts the
// access list of the directory instead ([posix.Restrict]).
func Guard(dir string, permissive bool, names ...string) (found []string, err error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at the folder of the keys: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("pki_dir %s is not a directory", dir)
	}
	if !posix.HasModes {
		return nil, posix.Restrict(dir)
	}
	var faults []error
	mode := info.Mode().Perm()
	if mode != 0o700 && mode != 0o750 && (!permissive || mode != 0o770) {
		faults = append(faults, shut(dir, mode, 0o700, 0o002))
		switch {
		case mode&0o002 != 0:
			found = append(found, fmt.Sprintf("%s was writable by all users (mode %04o); check that the keys in it are yours", dir, mode))
		case mode&0o020 != 0:
			found = append(found, fmt.Sprintf("%s was writable by its group (mode %04o); check that the keys in it are yours", dir, mode))
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, name+".pem")
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // reading it will fail and say why
		}
		mode := info.Mode().Perm()
		open := mode & 0o077
		if permissive {
			open = mode & 0o037
		}
		if open == 0 {
			continue
		}
		//mutant:open-keys-are-closed
		faults = append(faults, shut(path, mode, 0o400, 0o006))
		found = append(found, fmt.Sprintf("private key %s was readable by other users (mode %04o); replace it if one of them may have copied it", path, mode))
	}
	return found, errors.Join(faults...)
}

// shut changes a mode. If that fails, it is an error if one of the bits in worst is set.
func shut(path string, had, want, worst fs.FileMode) error {
	err := os.Chmod(path, want)
	if err == nil || had&worst == 0 {
		return nil
	}
	return fmt.Errorf("%s is open to everybody (mode %04o) and cannot be closed: %w; chmod %o it as its owner", path, had, err, want)
}
