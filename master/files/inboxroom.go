package files

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

const (
	// keptUsages limits the minions whose usage is cached. The usage of others is counted again
	// when needed.
	keptUsages = 10_000
	// countAgain is the minimum interval for recounting the usage of a minion that is at its limit.
	countAgain = time.Minute
)

// usage is the number of pushed files, directories included, and their bytes.
type usage struct {
	files int
	bytes int64
	at    time.Time // time of the count
}

// need returns the additional usage of writing a chunk. It refuses a chunk that would leave a hole.
func need(root *os.Root, p Pushed, name string) (n usage, err error) {
	have := int64(0)
	info, err := root.Lstat(name)
	if err == nil {
		have = info.Size()
	}
	switch {
	//mutant:files-pushed-holes
	case p.Offset > have && (err == nil || isMissing(err)):
		return n, fmt.Errorf("%w: offset %d is beyond the %d bytes that are here", ErrNotTaken, p.Offset, have)
	case err == nil && !info.Mode().IsRegular():
		return n, fmt.Errorf("%w: the path is not a regular file", ErrNotTaken)
	case err == nil:
		n.bytes = -have
		if p.Offset > 0 { // existing bytes stay
			n.bytes = -min(have, p.Offset+int64(len(p.Data)))
		}
	case isMissing(err):
		for at := name; at != "."; at = path.Dir(at) {
			if _, err := root.Lstat(at); err == nil {
				break
			}
			n.files++
		}
	default:
		return n, err
	}
	n.bytes += p.Offset + int64(len(p.Data))
	return n, nil
}

// room reserves usage for a minion. The minion must be in busy.
func (b *Inbox) room(id, home string, n usage) error {
	b.mu.Lock()
	u, known := b.used.Get(id)
	b.mu.Unlock()
	over := func() bool {
		return n.files > 0 && u.files+n.files > b.files || n.bytes > 0 && u.bytes+n.bytes > b.bytes
	}
	if !known || over() && b.now().Sub(u.at) >= countAgain {
		var err error
		if u, err = b.count(home); err != nil {
			return err
		}
	}
	//mutant:files-pushed-count
	if over() {
		b.keep(id, u)
		return fmt.Errorf("%w: the minion has pushed %d files and directories, %d bytes, at most %d and %d (bounds pushed_files, pushed_bytes); remove some below %s",
			ErrNotTaken, u.files, u.bytes, b.files, b.bytes, home)
	}
	u.files, u.bytes = u.files+n.files, u.bytes+n.bytes
	b.keep(id, u)
	return nil
}

func (b *Inbox) keep(id string, u usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.Add(id, u)
}

// forget drops the cached usage of a minion.
func (b *Inbox) forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.Remove(id)
}

func (b *Inbox) count(home string) (u usage, err error) {
	u.at = b.now()
	err = filepath.WalkDir(home, func(at string, d fs.DirEntry, err error) error {
		if isMissing(err) || at == home {
			return nil
		}
		if err != nil {
			return err
		}
		u.files++
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			u.bytes += info.Size()
		}
		return nil
	})
	return u, err
}

// maxPushedDepth limits the elements of a path, which may all be new directories.
const maxPushedDepth = 128

// listed reports whether a path is short enough to be listed from the top, where the minion's
// directory precedes it.
func listed(home, name string) bool {
	return len(home)+1+len(name) < maxPath && strings.Count(name, "/") < maxPushedDepth
}
