package datacache

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/returners"
)

const (
	// sharedFor is how long data that other masters may change are kept in memory.
	sharedFor = 5 * time.Second
	// sharedWithin bounds a request. After a failed one, the next waits for sharedRest.
	sharedWithin = 2 * time.Second
	sharedRest   = 5 * time.Second
	// maxBehind bounds the minions whose data are stored later, perTend how many are at a time.
	maxBehind = 1 << 18
	perTend   = 50
)

// shared is the copy of the data outside of this machine (the option cache), which several masters read and
// write. While it is away, the local copy is used, and what it lacks is stored later. A nil shared does nothing.
type shared struct {
	cache returners.Cache
	log   *slog.Logger
	now   func() time.Time

	mu     sync.Mutex
	rest   time.Time           // no request before
	behind map[string]struct{} // the local copy of these minions is newer, or removed
	said   logs.Throttle[string]
}

func bankOf(id string) string { return "minions/" + id }

// dataKey is the key of grains and pillar.
const dataKey = "data"

// fetch returns the shared data of a minion, or nil if the local copy counts.
func (s *shared) fetch(id string) []byte {
	if s == nil || !s.ready(id) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharedWithin)
	defer cancel()
	b, err := s.cache.Fetch(ctx, bankOf(id), dataKey)
	s.outcome("read", id, err)
	return b
}

// ready reports whether the shared data of a minion can be read and are not older than the local ones.
func (s *shared) ready(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, behind := s.behind[id]
	//mutant:shared-data-are-not-older
	return !behind && !s.now().Before(s.rest)
}

// store stores the data of a minion, at once or later.
func (s *shared) store(id string, data []byte) {
	if s == nil {
		return
	}
	s.mu.Lock()
	if len(s.behind) < maxBehind {
		s.behind[id] = struct{}{}
	}
	resting := s.now().Before(s.rest)
	s.mu.Unlock()
	//mutant:shared-store-rests
	if resting {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharedWithin)
	defer cancel()
	if s.outcome("stored", id, s.cache.Store(ctx, bankOf(id), dataKey, data, s.now())) {
		s.forget(id)
	}
}

// flush removes the data of a minion, at once or later.
func (s *shared) flush(id string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.behind[id] = struct{}{} // without a bound: data of a former owner of the id must go
	resting := s.now().Before(s.rest)
	s.mu.Unlock()
	if resting {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharedWithin)
	defer cancel()
	if s.outcome("removed", id, s.cache.Flush(ctx, bankOf(id))) {
		s.forget(id)
	}
}

// forget notes that the shared data of a minion are those here.
func (s *shared) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.behind, id)
}

// late returns minions whose data are to be stored or removed now.
func (s *shared) late() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Before(s.rest) {
		return nil
	}
	for id := range s.behind {
		if len(ids) == perTend {
			break
		}
		ids = append(ids, id)
	}
	return ids
}

// outcome notes a failure, and reports whether there was none.
func (s *shared) outcome(what, id string, err error) bool {
	if err == nil {
		return true
	}
	s.mu.Lock()
	now := s.now()
	s.rest = now.Add(sharedRest)
	s.mu.Unlock()
	if n := s.said.Note(what, now); n > 0 {
		s.log.Error("shared data of minions not "+what, "minion", id, "count", n, "err", err, //nolint:sloglint // one of three constants
			"hint", "the copy in cachedir is used meanwhile; see the options that begin with cache.")
	}
	return false
}
