package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Names syncs the names in a folder, not what the files hold. File systems that cannot
// sync a folder do not need it, so a refusal is no error.
func Names(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	_ = d.Sync()
	return d.Close()
}

// Folder is [os.MkdirAll] for a folder that is to hold what must outlive a loss of
// power. One that is there already is synced as well: an earlier life may have ended
// before it was.
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
	if err := Names(above); !errors.Is(err, fs.ErrPermission) { // who may not read it has not made the folder
		return err
	}
	return nil
}

// Remove removes a file that no loss of power brings back.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return Names(filepath.Dir(path))
}
