package zmtp

import (
	"runtime"
	"sync"
)

const (
	// largeBody is from which size on a body that is let go counts as spent.
	largeBody = 1 << 20
	// mostSpent is how much of that is left to the collector's own pace. It would let
	// the heap double first, and the large bodies of a few peers are most of it.
	mostSpent = 32 << 20
)

// spent counts the large bodies that were let go, and has them collected before more
// memory is taken for large ones.
type spent struct {
	mu sync.Mutex
	n  int64
}

// add counts a body that nobody needs any more.
func (s *spent) add(n int64) {
	if n < largeBody {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n += n
}

// collect runs before a large body is made.
func (s *spent) collect(n int64) {
	if n < largeBody {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n+n > mostSpent && s.n > 0 {
		s.n = 0
		runtime.GC()
	}
}
