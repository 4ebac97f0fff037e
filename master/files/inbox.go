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
	"time"
	"unicode/utf8"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/lru"
)

// Inbox stores files that minions push (cp.push), below cachedir/minions/ID/files.
type Inbox struct {
	dir     string // cachedir/minions
	allowed bool
	max     int64
	files   int   // of one minion
	bytes   int64 // likewise
	now     func() time.Time

	mu   sync.Mutex
	busy map[string]bool // minions with a write in progress
	used *lru.Guarded[string, usage]
}

// NewInbox reads file_recv and file_recv_max_size.
func NewInbox(c *config.Master) *Inbox {
	n := c.Bounds.OrDefault()
	return &Inbox{
		dir: filepath.Join(c.Cachedir, "minions"), allowed: c.FileRecv, max: int64(c.FileRecvMaxSize) << 20,
		files: n.PushedFiles, bytes: int64(n.PushedBytes), now: time.Now,
		busy: map[string]bool{}, used: lru.NewGuarded[string, usage](keptUsages, nil),
	}
}

// ErrNotTaken is wrapped by the errors of refused pushes.
var ErrNotTaken = errors.New("not accepted")

// Pushed is a chunk of a pushed file.
type Pushed struct {
	// ID is the authenticated minion.
	ID string
	// Parts are the elements of the path.
	Parts []string
	// Offset is the position of Data in the file; 0 truncates the file first.
	Offset int64
	Data   []byte
}

// Take writes a chunk. The errors of refused chunks wrap [ErrNotTaken]. A chunk may be repeated,
// for example after a lost answer, but must not leave a hole.
func (b *Inbox) Take(p Pushed) error {
	switch {
	case !b.allowed:
		return fmt.Errorf("%w: file_recv is off at this master", ErrNotTaken)
	case p.Offset < 0:
		return fmt.Errorf("%w: offset %d", ErrNotTaken, p.Offset)
	//mutant:files-pushed-size
	case p.Offset > b.max || int64(len(p.Data)) > b.max-p.Offset:
		return fmt.Errorf("%w: it is larger than file_recv_max_size, %d MiB", ErrNotTaken, b.max>>20)
	}
	if err := config.CheckID(p.ID); err != nil {
		return fmt.Errorf("%w: %w", ErrNotTaken, err)
	}
	//mutant:cve2024-38824-received
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

// joined joins the elements of a path. It refuses any path that could leave the minion's directory.
func joined(parts []string) (string, error) {
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsAny(p, "/\x00") || !utf8.ValidString(p) {
			return "", fmt.Errorf("%w: invalid path element %q", ErrNotTaken, p)
		}
	}
	name := path.Join(parts...)
	if name == "" {
		return "", fmt.Errorf("%w: no path", ErrNotTaken)
	}
	return name, nil
}

// begin returns false if a chunk of the minion is being written. A minion sends two at once only
// after a timeout.
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

func (b *Inbox) write(p Pushed, name string) (err error) {
	home := filepath.Join(b.dir, p.ID, "files")
	//mutant:files-pushed-path-length
	if !listed(home, name) {
		return fmt.Errorf("%w: path of %d bytes and %d elements is too long", ErrNotTaken, len(name), len(p.Parts))
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(home) // no link leads out of it
	if err != nil {
		return err
	}
	defer root.Close()
	n, err := need(root, p, name)
	if err == nil {
		err = b.room(p.ID, home, n)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			b.forget(p.ID)
		}
	}()
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	flags := os.O_WRONLY | os.O_CREATE
	if p.Offset == 0 {
		flags |= os.O_TRUNC
	}
	f, err := root.OpenFile(name, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(p.Data, p.Offset)
	return errors.Join(err, f.Close())
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
