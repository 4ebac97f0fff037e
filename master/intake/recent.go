package intake

import (
	"sync"
	"time"
)

// recentFor is how long the tree shows what happened to returns of minions.
const recentFor = time.Hour

// Recent counts what happened to minions in the last hour. N is 0 if nothing did.
type Recent struct {
	N       int
	ID, JID string // of the last; JID is "" if no job is involved
	Why     string
	Since   time.Time // of the last
}

// recent is what the tree shows of one kind of happenings. It is safe for concurrent use.
type recent struct {
	mu   sync.Mutex
	last Recent
}

// note adds one more.
func (r *recent) note(x Recent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x.N = 1
	if x.Since.Sub(r.last.Since) <= recentFor {
		x.N += r.last.N
	}
	r.last = x
}

func (r *recent) at(now time.Time) Recent {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.last.Since) > recentFor {
		return Recent{}
	}
	return r.last
}

// Refused are returns that were refused for good.
func (s *Service) Refused() Recent { return s.refused.at(s.o.Now()) }

// OverQuota are refusals since a minion brought more than it may.
func (s *Service) OverQuota() Recent { return s.overQuota.at(s.o.Now()) }

// Unsaved are returns that a returner of their minion did not save.
func (s *Service) Unsaved() Recent { return s.unsaved.at(s.o.Now()) }
