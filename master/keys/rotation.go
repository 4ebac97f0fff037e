package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
)

// dropFile in cachedir asks the master to make a new shared key. Masters before
// 3007 look at its mode alone, which must be exactly 0400.
const dropFile = ".dfn"

// RequestRotation drops the file that asks the master working with cachedir for
// a new shared key. masterID is its content, which 3007 and later read; a request
// that waits already stays.
func RequestRotation(cachedir, masterID string) error {
	path := filepath.Join(cachedir, dropFile)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm() == 0o400 {
		return nil
	}
	if err := crypt.WriteFileLazy(path, []byte(masterID), 0o400); err != nil {
		return fmt.Errorf("ask for a new shared key: %w", err)
	}
	return nil
}

// TakeRotation reports whether a new shared key has been asked for, and removes
// the request. A file of another mode is left alone and does not count.
func TakeRotation(cachedir string) (bool, error) {
	path := filepath.Join(cachedir, dropFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a request for a new shared key: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm() != 0o400 {
		return false, fmt.Errorf("request for a new shared key %s does not count: mode is %v, must be a regular file of mode 0400", path, info.Mode())
	}
	if err := os.Remove(path); err != nil {
		return false, fmt.Errorf("take request for a new shared key: %w", err)
	}
	return true, nil
}
