package metrics

import (
	"strings"
	"sync"
)

// Tally counts by labels whose values come from outside. Beyond a limit of different values,
// the rest is counted under the labels rest of NewTally.
type Tally struct {
	max  int
	rest string

	mu     sync.Mutex
	counts map[string]uint64
}

// NewTally returns a Tally of at most limit different label values; rest are the labels of all
// others.
func NewTally(limit int, rest ...string) *Tally {
	return &Tally{max: limit, rest: strings.Join(rest, "\x00"), counts: map[string]uint64{}}
}

// Add counts n under labels.
func (t *Tally) Add(n uint64, labels ...string) {
	key := strings.Join(labels, "\x00")
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.counts[key]; !known && len(t.counts) >= t.max {
		key = t.rest
	}
	t.counts[key] += n
}

// Each calls visit for each count.
func (t *Tally) Each(visit func(n uint64, labels ...string)) {
	t.mu.Lock()
	copied := make(map[string]uint64, len(t.counts))
	for k, n := range t.counts {
		copied[k] = n
	}
	t.mu.Unlock()
	for k, n := range copied {
		visit(n, strings.Split(k, "\x00")...)
	}
}
