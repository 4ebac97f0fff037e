package crypt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
)

// WriteFile puts data under path so that a reader sees the old or the new
// content and nothing between, with exactly the mode perm whatever the umask,
// and with the content on disk before it returns.
//
// The file is first written beside path under a name that begins with a dot,
// which every reader of Salt's folders passes over.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return replace(path, data, perm, true)
}

// WriteFileLazy is [WriteFile] without waiting for the disk: for content that is
// made again when a power failure takes it, such as a pending key.
func WriteFileLazy(path string, data []byte, perm fs.FileMode) error {
	return replace(path, data, perm, false)
}

func replace(path string, data []byte, perm fs.FileMode, synced bool) error {
	tmp, err := writeTemp(path, data, perm, synced)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("write %s: %w", path, err)
	}
	//mutant:power-file-names
	if synced {
		return durable.Names(filepath.Dir(path))
	}
	return nil
}

// Writable tells why a folder takes no files now: it is missing, read-only or full.
// It writes a file there and removes it.
func Writable(dir string) error {
	name, err := writeTemp(filepath.Join(dir, "writable"), make([]byte, 4096), 0o600, false) // a full disk may still take a few bytes
	if err == nil {
		err = os.Remove(name)
	}
	// Without the name, which is another each time: the same trouble is the same text.
	if p := new(fs.PathError); errors.As(err, &p) {
		return fmt.Errorf("write into %s: %w", dir, p.Err)
	}
	return err
}

// CreateFile is [WriteFile] for a file that must not exist yet: of several
// processes that try at once one succeeds, the others get [fs.ErrExist].
func CreateFile(path string, data []byte, perm fs.FileMode) error {
	tmp, err := writeTemp(path, data, perm, true)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	defer func() { _ = os.Remove(tmp) }()
	if err := os.Link(tmp, path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("create %s: %w", path, fs.ErrExist)
		}
		// A file system without hard links: check, then rename.
		if _, statErr := os.Lstat(path); statErr == nil {
			return fmt.Errorf("create %s: %w", path, fs.ErrExist)
		}
		if err := os.Rename(tmp, path); err != nil {
			return fmt.Errorf("create %s: %w", path, err)
		}
	}
	return durable.Names(filepath.Dir(path))
}

func writeTemp(path string, data []byte, perm fs.FileMode, synced bool) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".mom-*.tmp") // made with mode 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return "", err
	}
	if err = f.Chmod(perm); err != nil {
		return "", err
	}
	//mutant:power-file-content
	if synced {
		if err = f.Sync(); err != nil {
			return "", err
		}
	}
	return f.Name(), f.Close()
}
