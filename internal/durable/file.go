package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes data to path. A reader sees either the old or the new content. The file has
// exactly the mode perm, regardless of the umask, and is on disk when WriteFile returns.
//
// The file is first written beside path under a name that begins with a dot, which every reader
// of Salt's directories ignores.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return replace(path, data, perm, true)
}

// WriteFileLazy is [WriteFile] without waiting for the disk: for content that can be made again
// after a power failure, such as a pending key.
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
		return Names(filepath.Dir(path))
	}
	return nil
}

// Writable returns an error if a directory accepts no files at the moment: it is missing,
// read-only or full. It writes a file there and removes it.
func Writable(dir string) error {
	name, err := writeTemp(filepath.Join(dir, "writable"), make([]byte, 4096), 0o600, false) // a full disk may still accept a few bytes
	if err == nil {
		err = os.Remove(name)
	}
	// Leave out the random file name, so that the same fault has the same text.
	if p := new(fs.PathError); errors.As(err, &p) {
		return fmt.Errorf("write into %s: %w", dir, p.Err)
	}
	return err
}

// CreateFile is [WriteFile] for a file that must not exist yet. If several processes try at
// once, one succeeds and the others get [fs.ErrExist].
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
		// The file system has no hard links: check, then rename.
		if _, statErr := os.Lstat(path); statErr == nil {
			return fmt.Errorf("create %s: %w", path, fs.ErrExist)
		}
		if err := os.Rename(tmp, path); err != nil {
			return fmt.Errorf("create %s: %w", path, err)
		}
	}
	return Names(filepath.Dir(path))
}

func writeTemp(path string, data []byte, perm fs.FileMode, synced bool) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".mom-*.tmp") // created with mode 0600
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
