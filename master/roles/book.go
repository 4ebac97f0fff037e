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

// Role is the role of a key.
type Role string

// The roles. A key that has not acted yet has None.
const (
	None   Role = ""
	Minion Role = "minion"
	Syndic Role = "syndic"
)

// ErrFixed says that a key has acted in the other role.
var ErrFixed = errors.New("its key acted in another role earlier")

// Options of a [Book]. Now and Log are optional.
type Options struct {
	PkiDir string
	// Keys returns the accepted key of an id, or an error.
	Keys interface {
		Sum(id string) (crypt.FingerSum, error)
		Accepted(id string) bool
	}
	// SyndicIDs are the globs of the option syndic_ids.
	SyndicIDs []string
	Log       *slog.Logger
	Now       func() time.Time
}

// Book records the roles of keys. It is safe for concurrent use. Calls take constant time, except
// for Open and for reading the admissions, one per node.
type Book struct {
	o Options

	mu    sync.RWMutex
	fixed map[string]fixed
	file  *os.File
	// orphans is not modified after Open.
	orphans map[string]crypt.FingerSum
	dirty   bool // written, not synced
	lost    bool // a write failed

	admitted map[string]string // fingerprints of keys by id
	seen     time.Time         // modification time of the admissions folder; zero: read it again

	tops    map[string]string // fingerprints of the keys of tops by id
	topsErr string            // why some of these were ignored
}

type fixed struct {
	key  crypt.FingerSum
	role Role
}

// Open reads the stored roles and drops those of ids that are not accepted any more. The caller
// calls Close.
func Open(o Options) (*Book, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &Book{o: o, fixed: map[string]fixed{}, orphans: map[string]crypt.FingerSum{}, admitted: map[string]string{}}
	if err := durable.Folder(o.PkiDir, 0o700); err != nil {
		return nil, fmt.Errorf("open roles of keys: %w", err)
	}
	if err := b.load(); err != nil {
		return nil, fmt.Errorf("open roles of keys: %w", err)
	}
	b.dropOrphans()
	b.Look()
	return b, nil
}

// Of returns the role of an accepted key.
func (b *Book) Of(id string) Role {
	b.mu.RLock()
	f, ok := b.fixed[id]
	b.mu.RUnlock()
	if !ok {
		return None
	}
	if key, err := b.o.Keys.Sum(id); err != nil || key != f.key {
		return None // the role belongs to a previous key
	}
	return f.role
}

// KeyOf returns the key for which the role of id was fixed, or zero.
func (b *Book) KeyOf(id string) crypt.FingerSum {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.fixed[id].key
}

// Orphans returns the keys with a role that were no longer accepted at Open.
func (b *Book) Orphans() map[string]crypt.FingerSum { return b.orphans }

// Fix fixes the role of an accepted key by its first act. It returns [ErrFixed] if the key has the
// other role. The role of a node is synced when Fix returns. That of a minion is written, and synced
// by [Book.Sync], since thousands may come at once.
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
		if role == Minion { // keep it in memory; Sync writes it
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

// Forget removes the role and the admission of an id whose key was deleted.
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

// Admitted reports whether an operator has admitted the accepted key of an id as a node: by
// `mom node admit`, or by syndic_ids.
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

// AnyAdmitted reports whether an operator has admitted any node, by `mom node admit` or syndic_ids.
func (b *Book) AnyAdmitted() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.admitted) > 0 || len(b.o.SyndicIDs) > 0
}

// Listed reports whether syndic_ids lists an id.
func (b *Book) Listed(id string) bool {
	return slices.ContainsFunc(b.o.SyndicIDs, func(p string) bool { return target.Glob(p, id) })
}

// Sync syncs the file, and rewrites it after a failed write.
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
		return fmt.Errorf("sync roles of keys: %w", err)
	}
	return nil
}

// Close syncs and closes the file.
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
