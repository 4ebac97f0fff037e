package intake

import (
	"sync"
	"time"
)

// recentFor is how long the tree shows a problem with returns.
const recentFor = time.Hour

// Recent counts events of one kind in the last hour.
type Recent struct {
	N       int
	ID, JID string // of the last event; JID is "" if no job is involved
	Why     string
	Since   time.Time // time of the last event
}

// recent tracks events of one kind. It is safe for concurrent use.
type recent struct {
	mu   sync.Mutex
	last Recent
}

// note adds an event.
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

// Refused counts permanently refused returns.
func (s *Service) Refused() Recent { return s.refused.at(s.o.Now()) }

// OverQuota counts refusals because of a minion's quota.
func (s *Service) OverQuota() Recent { return s.overQuota.at(s.o.Now()) }

// Unsaved counts returns that a returner on the minion did not save.
func (s *Service) Unsaved() Recent { return s.unsaved.at(s.o.Now()) }
