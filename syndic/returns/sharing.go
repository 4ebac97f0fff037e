package returns

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

// Sharing decides which of several masters above is given a row of the outbox that
// is not addressed to one of them as yet: one of those who asked for its job, and
// another one while none of those can be reached. Once somebody has it, those who
// asked and have not had it are owed it by their own names ([Sharing.Others]). It is
// safe for concurrent use.
type Sharing[W Way] struct {
	o SharingOptions[W]

	mu        sync.Mutex
	preferred W // who takes what nobody in particular is owed; zero: nobody yet
}

// SharingOptions of a [Sharing].
type SharingOptions[W Way] struct {
	// After is how long one has to be gone before another takes its place, Back
	// how long it has to be back before it is preferred again.
	After, Back time.Duration
	// Moved is told when another one is preferred. It may be nil.
	Moved func(from, to W)
}

// NewSharing makes one that has given nothing to anybody.
func NewSharing[W Way](o SharingOptions[W]) *Sharing[W] { return &Sharing[W]{o: o} }

// Owns tells whether a row goes over w now; askers are those of the ways that
// asked for its job.
func (s *Sharing[W]) Owns(ways, askers []W, w W) bool {
	if len(ways) == 1 {
		return ways[0] == w
	}
	for _, a := range askers {
		if a.Available() {
			return a == w // the others are owed it as soon as this one has it
		}
	}
	if slices.Contains(askers, w) {
		return true
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

// Others are those who asked for the job of a row that w has taken, but for w.
func (s *Sharing[W]) Others(ways, askers []W, w W) (others []W) {
	if len(ways) == 1 {
		return nil
	}
	for _, a := range askers {
		if a != w {
			others = append(others, a)
		}
	}
	return others
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
