package keys

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/momtree/mom/internal/crypt"
)

// Errors of the store.
var (
	ErrUnknown = errors.New("no such key")
	ErrClosed  = errors.New("key store is closed")
)

// Options of a [Store]. Zero fields mean the defaults.
type Options struct {
	PkiDir   string // the folder that holds the key folders
	HashType string // of fingerprints, default sha256

	// AutosignTimeout is the life of a stub in minions_autosign; 0 or less means for ever.
	// (Salt's option counts minutes, default 120.)
	AutosignTimeout time.Duration

	// PollInterval is how often the folders' times are read, for file systems that report no
	// changes. Default 10 s.
	PollInterval time.Duration
	// ReconcileInterval is how often the index is compared with the disk. Default 5 min.
	ReconcileInterval time.Duration

	Log *slog.Logger
	Now func() time.Time
}

// Store is the index of the key folders. Lookups take constant time and read no file, except for the
// first use of a key. It is safe for concurrent use.
//
// A Store is correct when it is opened, and for keys that this process changes; [Store.Run] follows
// changes by others.
type Store struct {
	opts Options
	log  *slog.Logger

	// change is held while the index is updated, so that changes are reported in order. It is
	// locked before mu.
	change sync.Mutex
	subs   []*func(Change)

	mu      sync.RWMutex
	folders [numStates]folder

	// stripes serialize the changes of each id.
	stripes [64]sync.Mutex
	seed    maphash.Seed

	newWatcher func() (*fsnotify.Watcher, error)
	unwatched  [numStates]bool // folders Run has complained about

	lifecycle sync.Mutex // between begin and Close
	running   sync.WaitGroup
	closing   chan struct{}
	closeOnce sync.Once
}

// Open reads the names of all keys. It creates missing folders with mode 0700.
func Open(o Options) (*Store, error) {
	if o.PkiDir == "" {
		return nil, errors.New("open key store: pki_dir is not set")
	}
	if o.PollInterval <= 0 {
		o.PollInterval = 10 * time.Second
	}
	if o.ReconcileInterval <= 0 {
		o.ReconcileInterval = 5 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{
		opts:       o,
		log:        o.Log,
		seed:       maphash.MakeSeed(),
		newWatcher: func() (*fsnotify.Watcher, error) { return fsnotify.NewBufferedWatcher(4096) },
		closing:    make(chan struct{}),
	}
	for st := range numStates {
		f := &s.folders[st]
		names, seen, err := s.scan(st)
		if err != nil {
			return nil, fmt.Errorf("open key store: %w", err)
		}
		f.ids, f.seen = make(map[string]*entry, len(names)), seen
		f.dirty = make(map[string]struct{}, len(names))
		for _, id := range names {
			f.ids[id] = new(entry)
			f.dirty[id] = struct{}{}
		}
	}
	return s, nil
}

// path returns the path of a key file. The caller has checked id, or read it from a folder.
func (s *Store) path(st State, id string) string {
	return filepath.Join(s.opts.PkiDir, st.Folder(), id)
}

// lock serializes changes of the keys of id in this process.
func (s *Store) lock(id string) (unlock func()) {
	m := &s.stripes[maphash.String(s.seed, id)%uint64(len(s.stripes))]
	m.Lock()
	return m.Unlock
}

func (s *Store) entry(st State, id string) *entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.folders[st].ids[id]
}

// Has reports whether id has a key in a state.
func (s *Store) Has(st State, id string) bool { return s.entry(st, id) != nil }

// Accepted reports whether id has an accepted key.
func (s *Store) Accepted(id string) bool { return s.Has(Accepted, id) }

// Len is the number of keys in a state.
func (s *Store) Len(st State) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.folders[st].ids)
}

// List returns the ids in a state in Salt's order (without case). The slice is shared: do not modify
// it.
func (s *Store) List(st State) []string {
	s.mu.RLock()
	f := &s.folders[st]
	if len(f.dirty) == 0 {
		defer s.mu.RUnlock()
		return f.sorted
	}
	s.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.list()
}

// PublicKey returns the parsed key of an accepted minion, or [ErrUnknown].
func (s *Store) PublicKey(id string) (*rsa.PublicKey, error) {
	c, err := s.content(Accepted, id)
	if err != nil {
		return nil, err
	}
	return c.pub, c.err
}

// Sum returns the fingerprint of an accepted key. It returns an error if the id is not accepted or its
// file holds no key.
func (s *Store) Sum(id string) (crypt.FingerSum, error) {
	c, err := s.content(Accepted, id)
	if err == nil {
		err = c.err
	}
	return fingerOf(c), err
}

// content returns the content of a key file, from memory if possible.
func (s *Store) content(st State, id string) (*content, error) {
	e := s.entry(st, id)
	if e == nil {
		return nil, fmt.Errorf("%w: %q is not in %s", ErrUnknown, id, st)
	}
	if c := e.content.Load(); c != nil {
		return c, nil
	}
	before := e.changes.Load()
	c, err := s.read(st, id)
	if errors.Is(err, fs.ErrNotExist) {
		s.refresh(st, id, false)
		return nil, fmt.Errorf("%w: %q was removed from %s", ErrUnknown, id, st)
	}
	if err != nil {
		return nil, err
	}
	// A file without a key is not cached: somebody may be writing it.
	if c.err == nil {
		e.named.Store(&c.finger)
		e.content.Store(c)
		if e.changes.Load() != before {
			e.content.CompareAndSwap(c, nil)
		}
	}
	return c, nil
}

// text reads a key file unchanged.
func (s *Store) text(st State, id string) ([]byte, error) {
	b, err := os.ReadFile(s.path(st, id))
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	return b, nil
}
