package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/minion/jobs"
	"github.com/momtree/mom/salt/grains"
	"github.com/momtree/mom/salt/modules"
)

// ErrNoMaster is returned for operations that need a master.
var ErrNoMaster = errors.New("no master: this call runs locally")

// Config is shared by all sessions of a minion.
type Config struct {
	Options *config.Minion
	Version string // sent to masters in announcements
	Jobs    *jobs.Jobs
	Grains  *grains.Store
	// Env returns the environment of functions: the minion, and the master that sent the job.
	Env func(*Session) modules.Env
	// FireLocal fires an informational event on the bus of the minion.
	FireLocal func(tag string, data any)
	// Connected is called, on a goroutine of its own, for each session that begins to serve;
	// ctx ends with the session. It may be nil.
	Connected func(ctx context.Context, s *Session)
	// PillarChanged is called for each pillar that was fetched, even if it is unchanged. It may
	// be nil.
	PillarChanged func(*Session)
	Log           *slog.Logger
	Now           func() time.Time
}

// Sessions are the sessions of one minion.
type Sessions struct {
	Config

	mu      sync.Mutex
	serving []*Session
}

// New returns Sessions without any session.
func New(cfg Config) *Sessions { return &Sessions{Config: cfg} }

// Serving returns the sessions that serve at the moment.
func (all *Sessions) Serving() []*Session {
	all.mu.Lock()
	defer all.mu.Unlock()
	return slices.Clone(all.serving)
}

// Reachable returns the sessions that are subscribed, or all that serve if none is, since
// requests wait for a master to come back. So a master that is gone does not delay a minion
// that has another.
func (all *Sessions) Reachable() []*Session {
	serving := all.Serving()
	if up := slices.DeleteFunc(slices.Clone(serving), func(s *Session) bool { return !s.Up() }); len(up) > 0 {
		return up
	}
	return serving
}

// Each calls do for each reachable session, concurrently, waits for all and returns the first
// error. The error is ErrNoMaster if there is no session.
func (all *Sessions) Each(do func(*Session) error) error {
	list := all.Reachable()
	if len(list) == 0 {
		return ErrNoMaster
	}
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for i, s := range list {
		wg.Go(func() { errs[i] = do(s) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

func (all *Sessions) enter(s *Session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.serving = append(all.serving, s)
}

func (all *Sessions) leave(s *Session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.serving = slices.DeleteFunc(all.serving, func(x *Session) bool { return x == s })
}
