package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// lockFile marks a locked repository, also over a restart.
const lockFile = "update.lk"

func (r *Repo) lockPath() string { return filepath.Join(r.o.Dir, lockFile) }

// Lock disables fetches until [Repo.Unlock]. set is false if it was locked already.
func (r *Repo) Lock() (set bool, err error) {
	f, err := os.OpenFile(r.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		_, err = f.WriteString(strconv.Itoa(os.Getpid()))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", r.Name(), err)
	}
	return true, nil
}

// Unlock enables fetches. cleared is false if it was not locked.
func (r *Repo) Unlock() (cleared bool, err error) {
	err = os.Remove(r.lockPath())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("unlock %s: %w", r.Name(), err)
	}
	return true, nil
}

// Locked reports whether fetches are disabled.
func (r *Repo) Locked() bool {
	_, err := os.Lstat(r.lockPath())
	return err == nil
}
