package mine

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/datacache"
)

// file is the name of a minion's mine in its directory of the data cache.
const file = "mine.p"

// ErrTooLarge is wrapped if the mine of a minion would exceed its limit.
var ErrTooLarge = errors.New("the mine would be too large")

// memory limits the mines cached in memory, in bytes. Others are read from disk again.
const memory = 32 << 20

// perEntry is the approximate overhead of an entry, in bytes.
const perEntry = 100

// Mine holds the entries of one minion by name, in the order in which the minion sent them. It is
// immutable.
type Mine struct {
	names   []string
	entries map[string]wire.Raw
	bytes   int
}

// Names returns the names of the entries. A nil Mine has none.
func (m *Mine) Names() []string {
	if m == nil {
		return nil
	}
	return m.names
}

// Entry returns an entry as packed by the minion.
func (m *Mine) Entry(name string) (wire.Raw, bool) {
	if m == nil {
		return nil, false
	}
	e, ok := m.entries[name]
	return e, ok
}

// set adds or replaces an entry. Only the code that builds the mine may call it.
func (m *Mine) set(name string, raw wire.Raw) {
	if old, ok := m.entries[name]; ok {
		m.bytes -= len(old)
	} else {
		m.names = append(m.names, name)
		m.bytes += len(name)
	}
	m.entries[name] = raw
	m.bytes += len(raw)
}

// without returns a copy without an entry; "" copies all.
func (m *Mine) without(name string) *Mine {
	out := &Mine{entries: map[string]wire.Raw{}}
	for _, n := range m.Names() {
		if n != name || name == "" {
			out.set(n, m.entries[n])
		}
	}
	return out
}

// Store stores the mines of the minions of one master. It is safe for concurrent use.
type Store struct {
	dir  string
	max  int
	bank datacache.Salt3008Bank // of Salt 3008

	seed  maphash.Seed
	locks [64]sync.Mutex // for writers, by minion

	mu   sync.Mutex
	kept map[string]*Mine // nil: there is no mine
	size int
}

// NewStore returns a store below cachedir. Each mine is limited to max bytes.
func NewStore(cachedir string, max int) *Store {
	return &Store{bank: datacache.OpenSalt3008(cachedir, "mine"), dir: filepath.Join(cachedir, "minions"), max: max, seed: maphash.MakeSeed(), kept: map[string]*Mine{}}
}

func (s *Store) lock(id string) *sync.Mutex {
	return &s.locks[maphash.String(s.seed, id)%uint64(len(s.locks))]
}

func (s *Store) path(id string) string { return filepath.Join(s.dir, id, file) }

// Get returns the mine of a minion, or nil. id must have an accepted key, so it is a safe file
// name.
func (s *Store) Get(id string) (*Mine, error) {
	s.mu.Lock()
	m, ok := s.kept[id]
	s.mu.Unlock()
	if ok {
		return m, nil
	}
	l := s.lock(id)
	l.Lock()
	defer l.Unlock()
	return s.get(id)
}

// get is Get for callers that hold the lock of the minion.
func (s *Store) get(id string) (*Mine, error) {
	s.mu.Lock()
	m, ok := s.kept[id]
	s.mu.Unlock()
	if ok {
		return m, nil
	}
	m, err := s.read(id)
	if err != nil {
		return nil, err
	}
	s.keep(id, m)
	return m, nil
}

func (s *Store) read(id string) (*Mine, error) {
	b, newer := s.bank.Newer(id, s.path(id))
	if !newer {
		var err error
		if b, err = os.ReadFile(s.path(id)); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, fmt.Errorf("mine of minion %s: %w", id, err)
		}
	}
	var err error
	if b, err = wire.ToWire(b); err != nil {
		return nil, fmt.Errorf("mine of minion %s: %w", id, wire.SpoiltFile(s.path(id), err))
	}
	m := &Mine{entries: map[string]wire.Raw{}}
	if err := wire.Fields(b, func(name string, val wire.Raw) error {
		m.set(name, val)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("mine of minion %s: %w", id, wire.SpoiltFile(s.path(id), err))
	}
	return m, nil
}

// keep caches a mine and evicts others.
func (s *Store) keep(id string, m *Mine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(id)
	n := weight(m)
	for other := range s.kept {
		if s.size+n <= memory {
			break
		}
		s.drop(other)
	}
	s.kept[id], s.size = m, s.size+n
}

// drop evicts a mine. The caller holds mu.
func (s *Store) drop(id string) {
	if m, ok := s.kept[id]; ok {
		s.size -= weight(m)
		delete(s.kept, id)
	}
}

func weight(m *Mine) int {
	if m == nil {
		return perEntry
	}
	return m.bytes + perEntry*(1+len(m.names))
}

// Put adds entries to the mine of a minion, or replaces the mine if clear is set. An error that
// wraps [ErrTooLarge] means that nothing changed.
func (s *Store) Put(id string, data wire.Raw, clear bool) error {
	if len(data) > s.max+perEntry { // checked before the load is copied
		return s.tooLarge(id, len(data))
	}
	l := s.lock(id)
	l.Lock()
	defer l.Unlock()
	var old *Mine
	if !clear {
		var err error
		if old, err = s.get(id); err != nil {
			return err
		}
	}
	m := old.without("")
	if err := wire.Fields(data, func(name string, val wire.Raw) error {
		if _, err := readEntry(val); err != nil {
			return fmt.Errorf("entry %q: %w", name, err)
		}
		m.set(name, append(wire.Raw(nil), val...)) // a copy: the buffer of the request is reused
		return nil
	}); err != nil {
		return fmt.Errorf("mine of minion %s: %w", id, err)
	}
	//mutant:mine-size
	if m.bytes > s.max {
		return s.tooLarge(id, m.bytes)
	}
	return s.write(id, m)
}

func (s *Store) tooLarge(id string, n int) error {
	return fmt.Errorf("%w: of minion %s, %d bytes; at most %d are kept (option mine_max_size of the master)", ErrTooLarge, id, n, s.max)
}

// Delete removes one entry and reports whether the minion has a mine at all.
func (s *Store) Delete(id, name string) (had bool, err error) {
	l := s.lock(id)
	l.Lock()
	defer l.Unlock()
	m, err := s.get(id)
	if err != nil || m == nil {
		return false, err
	}
	if _, ok := m.Entry(name); !ok {
		return true, nil
	}
	return true, s.write(id, m.without(name))
}

// Flush removes the mine of a minion and reports whether there was one.
func (s *Store) Flush(id string) (had bool, err error) {
	l := s.lock(id)
	l.Lock()
	defer l.Unlock()
	m, err := s.get(id)
	if err == nil {
		err = s.bank.Remove(id)
	}
	if err != nil {
		return false, fmt.Errorf("mine of minion %s: %w", id, err)
	}
	if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("mine of minion %s: %w", id, err)
	}
	s.keep(id, nil)
	return m != nil, nil
}

// Forget drops the cached mine of a minion whose directory was removed.
func (s *Store) Forget(id string) {
	l := s.lock(id)
	l.Lock()
	defer l.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(id)
}

// write stores a mine. The caller holds the lock of the minion.
func (s *Store) write(id string, m *Mine) error {
	all := wire.NewMap()
	for _, name := range m.names {
		all.Set(name, m.entries[name])
	}
	b, err := wire.Encode(all)
	if err == nil {
		b, err = wire.ToBus(b)
	}
	if err != nil {
		return fmt.Errorf("mine of minion %s: %w", id, err)
	}
	if err := s.bank.Write(id, b); err != nil {
		return fmt.Errorf("mine of minion %s: %w", id, err)
	}
	if err := os.MkdirAll(filepath.Dir(s.path(id)), 0o700); err != nil {
		return fmt.Errorf("mine of minion %s: %w", id, err)
	}
	if err := durable.WriteFileLazy(s.path(id), b, 0o600); err != nil {
		return fmt.Errorf("mine of minion %s: %w", id, err)
	}
	s.keep(id, m)
	return nil
}
