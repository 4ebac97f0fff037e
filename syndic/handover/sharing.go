package handover

import (
	"slices"
	"sync"
	"time"
)

// Way is one of several masters above, as [Sharing] sees it.
type Way interface {
	comparable
	// Available tells whether returns should go this way.
	Available() bool
	// GoneFor and BackFor tell whether it has not been available for d, or has.
	GoneFor(d time.Duration) bool
	BackFor(d time.Duration) bool
}

// Sharing decides which of several masters above is given a row of the outbox:
// everybody who asked for its job, and one other while none of those can be
// reached. It is safe for concurrent use.
type Sharing[W Way] struct {
	o     SharingOptions[W]
	debts *debts[W]

	mu        sync.Mutex
	preferred W // who takes what nobody in particular is owed; zero: nobody yet
}

// SharingOptions of a [Sharing].
type SharingOptions[W Way] struct {
	// After is how long one has to be gone before another takes its place, Back
	// how long it has to be back before it is preferred again.
	After, Back time.Duration
	// Now is the time. Default: the machine's.
	Now func() time.Time
	// Moved is told when another one is preferred. It may be nil.
	Moved func(from, to W)
}

// NewSharing makes one that has given nothing to anybody.
func NewSharing[W Way](o SharingOptions[W]) *Sharing[W] {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Sharing[W]{o: o, debts: &debts[W]{rows: map[int64]*debt[W]{}}}
}

// Owns tells whether a row goes over w now; askers are those of the ways that
// asked for its job.
func (s *Sharing[W]) Owns(ways, askers []W, w W, seq int64) bool {
	if len(ways) == 1 {
		return ways[0] == w
	}
	if s.debts.has(seq, w) {
		return false
	}
	if slices.Contains(askers, w) {
		return true
	}
	if s.debts.taken(seq) {
		return false // another one stands in already
	}
	for _, a := range askers {
		if !a.GoneFor(s.o.After) {
			return false
		}
	}
	var nobody W
	first := s.Prefer(ways)
	return first == w || first == nobody
}

// Given notes that w has taken a row, and tells whether it stays because somebody
// who asked for the job has not had it.
func (s *Sharing[W]) Given(ways, askers []W, w W, seq int64) (keep bool) {
	if len(ways) == 1 {
		return false
	}
	for _, a := range askers {
		if a != w && !s.debts.has(seq, a) {
			return s.debts.note(seq, w, s.o.Now())
		}
	}
	s.debts.settled(seq)
	return false
}

// Prefer chooses who takes what nobody in particular is owed. The choice stands
// until that one is gone for a while; one that comes earlier in the order is
// chosen again when it has been back for a while. The zero value: nobody can be
// reached.
func (s *Sharing[W]) Prefer(ways []W) W {
	s.mu.Lock()
	defer s.mu.Unlock()
	var nobody W
	if s.preferred != nobody && slices.Contains(ways, s.preferred) && !s.preferred.GoneFor(s.o.After) {
		for _, w := range ways {
			if w == s.preferred || w.BackFor(s.o.Back) {
				s.preferred = w
				return w
			}
		}
	}
	for _, w := range ways {
		if w.Available() {
			if s.preferred != nobody && s.preferred != w && s.o.Moved != nil {
				s.o.Moved(s.preferred, w)
			}
			s.preferred = w
			return w
		}
	}
	return nobody
}

// Owed counts the rows that one has and another is still owed.
func (s *Sharing[W]) Owed() int64 { return s.debts.len() }

// Overdue takes out the rows that have been owed for too long, the oldest first.
func (s *Sharing[W]) Overdue() []int64 { return s.debts.overdue(s.o.Now()) }
