package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/returners"
)

// Store is safe for concurrent use.
type Store struct {
	now  func() time.Time
	ages func() time.Time // nil: age is measured by the times of the rows

	mu      sync.Mutex
	closed  bool
	jobs    map[string]*job
	outbox  map[string]*queue // by destination
	pending map[string]int    // jid → pending outbox rows
	seq     int64
	events  []event // in order of arrival
	keys    map[string]struct{}
	notes   map[string]map[noteKey][]byte // by jid
	texts   texts
}

var _ returners.JobStore = (*Store)(nil)

type event struct {
	at  int64
	key string
}

// Open returns an empty store. now is its clock; nil means time.Now.
func Open(now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	return &Store{
		now: now, jobs: map[string]*job{}, outbox: map[string]*queue{}, pending: map[string]int{},
		keys: map[string]struct{}{}, notes: map[string]map[noteKey][]byte{}, texts: texts{index: map[string]uint32{}},
	}
}

// AgeBy sets the clock that measures the age of jobs, instead of the times of their rows.
// Call it before the store is used.
func (s *Store) AgeBy(ages func() time.Time) { s.ages = ages }

// age returns the time, by the clock of ages, at which a record with time at is stored.
func (s *Store) age(at time.Time) time.Time {
	if s.ages != nil {
		return s.ages()
	}
	return at
}

// Name returns the name of the returner.
func (s *Store) Name() string { return "memory" }

// Ping returns an error if the store is closed.
func (s *Store) Ping(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open()
}

// Close closes the store and drops its content.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// open returns an error if the store is closed. The caller holds mu.
func (s *Store) open() error {
	if s.closed {
		return fmt.Errorf("job store in memory: %w", returners.ErrClosed)
	}
	return nil
}

// texts interns strings.
type texts struct {
	index map[string]uint32
	all   []string
}

func (t *texts) put(s string) uint32 {
	i, ok := t.index[s]
	if !ok {
		i = uint32(len(t.all))
		t.index[s], t.all = i, append(t.all, s)
	}
	return i
}

func (t *texts) get(i uint32) string { return t.all[i] }
