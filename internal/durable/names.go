package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Names syncs the names in a directory, not the content of the files. File systems that cannot
// sync a directory do not need it, so that is not an error.
func Names(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	_ = d.Sync()
	return d.Close()
}

// Folder is [os.MkdirAll] for a directory whose content must survive a power failure. It also
// syncs an existing directory, because an earlier run may have ended before it did.
func Folder(path string, perm fs.FileMode) error {
	above := filepath.Dir(path)
	err := os.Mkdir(path, perm)
	if errors.Is(err, fs.ErrNotExist) && above != path {
		if err = Folder(above, perm); err == nil {
			err = os.Mkdir(path, perm)
		}
	}
	if fi, statErr := os.Stat(path); err != nil && (statErr != nil || !fi.IsDir()) {
		return err
	}
	//mutant:power-new-folders
	if err := Names(above); !errors.Is(err, fs.ErrPermission) { // a process that may not read it has not created the directory
		return err
	}
	return nil
}

// Remove removes a file; a power failure does not restore it.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return Names(filepath.Dir(path))
}
