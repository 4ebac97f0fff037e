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
	ages func() time.Time // nil: rows are as old as they say

	mu      sync.Mutex
	closed  bool
	jobs    map[string]*job
	outbox  map[string]*queue // by destination
	pending map[string]int    // jid → rows still owed
	seq     int64
	events  []event // by arrival
	keys    map[string]struct{}
	notes   map[string]map[noteKey][]byte // by jid
	texts   texts
}

var _ returners.JobStore = (*Store)(nil)

type event struct {
	at  int64
	key string
}

// Open makes an empty store. now is its clock; nil means time.Now.
func Open(now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	return &Store{
		now: now, jobs: map[string]*job{}, outbox: map[string]*queue{}, pending: map[string]int{},
		keys: map[string]struct{}{}, notes: map[string]map[noteKey][]byte{}, texts: texts{index: map[string]uint32{}},
	}
}

// AgeBy sets the clock by which jobs grow old, instead of by what their rows say of
// themselves. Call it before the store is used.
func (s *Store) AgeBy(ages func() time.Time) { s.ages = ages }

// age is the time at which what says at of itself is stored, by the clock of ages.
func (s *Store) age(at time.Time) time.Time {
	if s.ages != nil {
		return s.ages()
	}
	return at
}

// Name is the name of the returner.
func (s *Store) Name() string { return "memory" }

// Ping tells whether the store is open.
func (s *Store) Ping(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open()
}

// Close ends the store; what it holds is gone.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// open is asked with mu held.
func (s *Store) open() error {
	if s.closed {
		return fmt.Errorf("job store in memory: %w", returners.ErrClosed)
	}
	return nil
}

// texts keeps each of few texts once.
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
