package returns

import (
	"slices"
	"sync"
	"time"
)

// Route is one of several parents, as [Sharing] sees it.
type Route interface {
	comparable
	// Available reports whether returns should go this way.
	Available() bool
	// GoneFor reports whether it has been unavailable for d, BackFor whether it has been available
	// for d.
	GoneFor(d time.Duration) bool
	BackFor(d time.Duration) bool
}

// Sharing decides which of several parents gets a row of the shared destination: one that requested
// its job, or another while none of those is reachable. Once a parent has the row, the other
// requesters get it through their own destinations ([Sharing.Others]). It is safe for concurrent
// use.
type Sharing[W Route] struct {
	o SharingOptions[W]

	mu        sync.Mutex
	preferred W // gets rows of jobs nobody requested; zero: not chosen yet
}

// SharingOptions configure a [Sharing].
type SharingOptions[W Route] struct {
	// After is how long a parent must be gone before another takes its place, Back how long it must
	// be back before it is preferred again.
	After, Back time.Duration
	// Moved is called when another parent becomes the preferred one. It may be nil.
	Moved func(from, to W)
}

// NewSharing returns a Sharing without a preferred parent.
func NewSharing[W Route](o SharingOptions[W]) *Sharing[W] { return &Sharing[W]{o: o} }

// Owns reports whether a row goes over w now. askers are the routes that requested its job.
func (s *Sharing[W]) Owns(ways, askers []W, w W) bool {
	if len(ways) == 1 {
		return ways[0] == w
	}
	for _, a := range askers {
		if a.Available() {
			return a == w // the others get it once this one has it
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

// Others returns the askers other than w.
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

// Prefer returns the route for rows of jobs that nobody requested. The choice stands until that
// parent has been gone for After; a parent earlier in the order is chosen again when it has been
// back for Back. It returns the zero value if no parent is available.
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
