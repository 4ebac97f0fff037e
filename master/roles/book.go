package roles

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/target"
)

// Role is what a key is.
type Role string

// The roles. None is that of a key that has not acted yet.
const (
	None   Role = ""
	Minion Role = "minion"
	Syndic Role = "syndic"
)

// ErrFixed is the reason why a key cannot take a role: it has the other one.
var ErrFixed = errors.New("its key has acted in another role before")

// Options of a [Book]. All but Now and Log are needed.
type Options struct {
	PkiDir string
	// Keys names the accepted key of an id; an error for one that is not accepted.
	Keys interface {
		Sum(id string) (crypt.FingerSum, error)
		Accepted(id string) bool
	}
	// SyndicIDs are the globs of the option syndic_ids.
	SyndicIDs []string
	Log       *slog.Logger
	Now       func() time.Time
}

// Book is safe for concurrent use. All its costs are O(1) but for opening it and for
// looking through the admissions, which are as many as there are nodes.
type Book struct {
	o Options

	mu    sync.RWMutex
	fixed map[string]fixed
	file  *os.File
	// orphans never change once the book is open.
	orphans map[string]crypt.FingerSum
	dirty   bool // something was written and is not synced
	lost    bool // something could not be written

	admitted map[string]string // fingerprints by id
	seen     time.Time         // of the folder of admissions; zero: look again
}

type fixed struct {
	key  crypt.FingerSum
	role Role
}

// Open reads what earlier lives have fixed, without the ids that are not accepted any
// more. Close ends it.
func Open(o Options) (*Book, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &Book{o: o, fixed: map[string]fixed{}, orphans: map[string]crypt.FingerSum{}, admitted: map[string]string{}}
	if err := durable.Folder(o.PkiDir, 0o700); err != nil {
		return nil, fmt.Errorf("open the roles of keys: %w", err)
	}
	if err := b.load(); err != nil {
		return nil, fmt.Errorf("open the roles of keys: %w", err)
	}
	b.dropOrphans()
	b.Look()
	return b, nil
}

// Of gives the role of an accepted key.
func (b *Book) Of(id string) Role {
	b.mu.RLock()
	f, ok := b.fixed[id]
	b.mu.RUnlock()
	if !ok {
		return None
	}
	if key, err := b.o.Keys.Sum(id); err != nil || key != f.key {
		return None // the role of a key that was there before
	}
	return f.role
}

// KeyOf gives the key that a role of id was fixed for, zero for none.
func (b *Book) KeyOf(id string) crypt.FingerSum {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.fixed[id].key
}

// Orphans gives the keys that had a role and were not accepted any more when the book was opened.
func (b *Book) Orphans() map[string]crypt.FingerSum { return b.orphans }

// Fix fixes the role of an accepted key by what it does. The error is [ErrFixed] if it has
// the other role. That of a node is on disk when it returns; that of a minion is written, and
// synced by [Book.Sync], since a thousand may come at once.
func (b *Book) Fix(id string, role Role) error {
	key, err := b.o.Keys.Sum(id)
	if err != nil {
		return fmt.Errorf("fix the role of %s: %w", id, err)
	}
	b.mu.RLock()
	f, ok := b.fixed[id]
	b.mu.RUnlock()
	if ok && f.key == key {
		return f.as(id, role)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if f, ok := b.fixed[id]; ok && f.key == key {
		return f.as(id, role)
	}
	f = fixed{key, role}
	if err := b.write(id, f, role == Syndic); err != nil {
		if role == Minion { // which must not be forgotten: it is written by Sync, when the disk takes it
			b.fixed[id], b.lost, b.dirty = f, true, true
		}
		return fmt.Errorf("fix the role of %s: %w", id, err)
	}
	b.fixed[id] = f
	return nil
}

func (f fixed) as(id string, role Role) error {
	if f.role != role {
		return fmt.Errorf("%s speaks as a %s, and is a %s: %w", id, role, f.role, ErrFixed)
	}
	return nil
}

// Forget drops all that is known of an id whose key is gone, its admission included.
func (b *Book) Forget(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var err error
	if _, ok := b.fixed[id]; ok {
		delete(b.fixed, id)
		err = b.write(id, fixed{}, true)
	}
	return errors.Join(err, b.withdraw(id))
}

// Admitted tells whether an operator has admitted the accepted key of an id as a home
// for others: by `mom node admit`, or by naming the id in syndic_ids.
func (b *Book) Admitted(id string) bool {
	if b.Listed(id) {
		return b.o.Keys.Accepted(id)
	}
	b.mu.RLock()
	finger, ok := b.admitted[id]
	b.mu.RUnlock()
	if !ok {
		return false
	}
	key, err := b.o.Keys.Sum(id)
	//mutant:admission-is-of-a-key
	return err == nil && key.String() == finger
}

// Listed tells whether syndic_ids names an id.
func (b *Book) Listed(id string) bool {
	return slices.ContainsFunc(b.o.SyndicIDs, func(p string) bool { return target.Glob(p, id) })
}

// Sync has the disk take what was written.
func (b *Book) Sync() error {
	b.mu.Lock()
	if b.lost && b.file != nil {
		defer b.mu.Unlock()
		return b.renew()
	}
	f, dirty := b.file, b.dirty
	b.dirty = false
	b.mu.Unlock()
	if !dirty || f == nil {
		return nil
	}
	if err := f.Sync(); err != nil {
		b.mu.Lock()
		b.dirty = true
		b.mu.Unlock()
		return fmt.Errorf("sync the roles of keys: %w", err)
	}
	return nil
}

// Close syncs and ends the book.
func (b *Book) Close() error {
	err := b.Sync()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file == nil {
		return err
	}
	err = errors.Join(err, b.file.Close())
	b.file = nil
	return err
}

func (b *Book) path() string { return filepath.Join(b.o.PkiDir, File) }
