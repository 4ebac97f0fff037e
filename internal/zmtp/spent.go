package zmtp

import (
	"runtime"
	"sync"
)

const (
	// largeBody is the size from which a dropped body counts as spent.
	largeBody = 1 << 20
	// mostSpent is how much of that is left to the garbage collector's own pace. The collector
	// would let the heap double first, and the large bodies of a few peers are most of the
	// heap.
	mostSpent = 32 << 20
)

// spent counts dropped large bodies, and collects them before more memory is allocated for
// large ones.
type spent struct {
	mu sync.Mutex
	n  int64
}

// add counts a body that is no longer needed.
func (s *spent) add(n int64) {
	if n < largeBody {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n += n
}

// collect is called before a large body is allocated.
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
