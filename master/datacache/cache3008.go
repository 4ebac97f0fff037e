package datacache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
)

// Salt 3008 stores minion data in cachedir/BANK/ID.p, with grains, pillar and mine in banks of
// their own; earlier versions and mom store all of it in cachedir/minions/ID. A master that takes
// over from 3008 reads what is newer than its own copy, and writes both for the way back.

// Salt3008Bank is a folder of files by minion. It is safe for concurrent use, as long as each file
// is written by one goroutine at a time.
type Salt3008Bank struct{ dir string }

// OpenSalt3008 gives a bank: grains, pillar or mine.
func OpenSalt3008(cachedir, bank string) Salt3008Bank {
	return Salt3008Bank{filepath.Join(cachedir, bank)}
}

// UsedBySalt3008 reports whether a master of Salt 3008 has used the cache.
func UsedBySalt3008(cachedir string) bool { return OpenSalt3008(cachedir, "grains").There() }

// There reports whether Salt 3008 has made the bank. mom does not make it.
func (b Salt3008Bank) There() bool {
	fi, err := os.Stat(b.dir)
	return err == nil && fi.IsDir()
}

func (b Salt3008Bank) path(id string) string { return filepath.Join(b.dir, id+".p") }

// Newer reads the file of a minion if it is newer than own, the path of mom's file, or if
// that one does not exist. id is that of an accepted key, which makes it a safe name.
func (b Salt3008Bank) Newer(id, own string) (data []byte, ok bool) {
	theirs, err := os.Stat(b.path(id))
	if err != nil || !theirs.Mode().IsRegular() {
		return nil, false
	}
	if fi, err := os.Stat(own); err == nil && !theirs.ModTime().After(fi.ModTime()) {
		return nil, false
	}
	data, err = os.ReadFile(b.path(id))
	return data, err == nil
}

// Write replaces the file of a minion, if Salt 3008 has made the bank. mom's own file has to
// be written after it.
func (b Salt3008Bank) Write(id string, data []byte) error {
	if !b.There() {
		return nil
	}
	if err := durable.WriteFileLazy(b.path(id), data, 0o600); err != nil {
		return fmt.Errorf("write for Salt 3008: %w", err)
	}
	return nil
}

// Remove removes the file of a minion.
func (b Salt3008Bank) Remove(id string) error {
	if err := os.Remove(b.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove for Salt 3008: %w", err)
	}
	return nil
}
