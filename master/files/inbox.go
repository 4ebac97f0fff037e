package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/config"
)

// Inbox takes what minions push (cp.push): files below cachedir/minions/ID/files.
type Inbox struct {
	dir     string // cachedir/minions
	allowed bool
	max     int64

	mu   sync.Mutex
	busy map[string]bool // minions whose chunk is being written
}

// NewInbox reads file_recv and file_recv_max_size.
func NewInbox(c *config.Master) *Inbox {
	return &Inbox{
		dir: filepath.Join(c.Cachedir, "minions"), allowed: c.FileRecv, max: int64(c.FileRecvMaxSize) << 20, busy: map[string]bool{},
	}
}

// ErrNotTaken is wrapped by what [Inbox.Take] refuses.
var ErrNotTaken = errors.New("a pushed file is not taken")

// Pushed is one chunk of a file that a minion pushes.
type Pushed struct {
	// ID is the minion, authenticated.
	ID string
	// Parts are the elements of the path.
	Parts []string
	// Offset of Data in the file; 0 begins it anew.
	Offset int64
	Data   []byte
}

// Take writes a chunk. What it refuses wraps [ErrNotTaken]. A chunk may come twice, as after
// an answer that was lost, but none leaves a hole.
func (b *Inbox) Take(p Pushed) error {
	switch {
	case !b.allowed:
		return fmt.Errorf("%w: file_recv is off at this master", ErrNotTaken)
	case p.Offset < 0:
		return fmt.Errorf("%w: offset %d", ErrNotTaken, p.Offset)
	case p.Offset > b.max || int64(len(p.Data)) > b.max-p.Offset:
		return fmt.Errorf("%w: it is larger than file_recv_max_size, %d MiB", ErrNotTaken, b.max>>20)
	}
	if err := config.CheckID(p.ID); err != nil {
		return fmt.Errorf("%w: %w", ErrNotTaken, err)
	}
	name, err := joined(p.Parts)
	if err != nil {
		return err
	}
	if !b.begin(p.ID) {
		return fmt.Errorf("%w: another chunk of %s is being written", ErrNotTaken, p.ID)
	}
	defer b.end(p.ID)
	if err := b.write(p, name); err != nil {
		return fmt.Errorf("pushed file %s of %s: %w", name, p.ID, err)
	}
	return nil
}

// joined makes a path of its elements. Whatever could lead out of the folder of the minion is
// refused.
func joined(parts []string) (string, error) {
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsAny(p, "/\x00") {
			return "", fmt.Errorf("%w: its path has an element %q", ErrNotTaken, p)
		}
	}
	name := path.Join(parts...)
	if name == "" || len(name) > maxPath {
		return "", fmt.Errorf("%w: its path has %d bytes", ErrNotTaken, len(name))
	}
	return name, nil
}

// begin keeps one minion from having two chunks written at once, which is what it does not do
// unless it has lost its patience.
func (b *Inbox) begin(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy[id] {
		return false
	}
	b.busy[id] = true
	return true
}

func (b *Inbox) end(id string) {
	b.mu.Lock()
	delete(b.busy, id)
	b.mu.Unlock()
}

func (b *Inbox) write(p Pushed, name string) error {
	home := filepath.Join(b.dir, p.ID, "files")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(home) // no link leads out of it
	if err != nil {
		return err
	}
	defer root.Close()
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%w: there is something of that name that is no file", ErrNotTaken)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE
	if p.Offset == 0 {
		flags |= os.O_TRUNC
	}
	f, err := root.OpenFile(name, flags, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && p.Offset > info.Size() {
		err = fmt.Errorf("%w: offset %d is beyond the %d bytes that are here", ErrNotTaken, p.Offset, info.Size())
	}
	if err == nil {
		_, err = f.WriteAt(p.Data, p.Offset)
	}
	return errors.Join(err, f.Close())
}
