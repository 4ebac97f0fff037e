package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
)

// dropFile in cachedir requests a new shared key. Masters before 3007 check only its mode, which must
// be exactly 0400.
const dropFile = ".dfn"

// RequestRotation creates the file that requests a new shared key from the master of cachedir.
// masterID is its content, which 3007 and later read. It keeps an existing request.
func RequestRotation(cachedir, masterID string) error {
	path := filepath.Join(cachedir, dropFile)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm() == 0o400 {
		return nil
	}
	if err := durable.WriteFileLazy(path, []byte(masterID), 0o400); err != nil {
		return fmt.Errorf("request a new shared key: %w", err)
	}
	return nil
}

// TakeRotation reports whether a new shared key was requested, and removes the request. It ignores a
// file of another mode.
func TakeRotation(cachedir string) (bool, error) {
	path := filepath.Join(cachedir, dropFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a rotation request: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm() != 0o400 {
		return false, fmt.Errorf("rotation request %s ignored: mode is %v, must be a regular file of mode 0400", path, info.Mode())
	}
	if err := os.Remove(path); err != nil {
		return false, fmt.Errorf("remove rotation request: %w", err)
	}
	return true, nil
}
