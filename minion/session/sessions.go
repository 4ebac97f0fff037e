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

// ErrNoMaster is returned for what only a master can do.
var ErrNoMaster = errors.New("no master: this call runs locally")

// Config is what all sessions of a minion share.
type Config struct {
	Options *config.Minion
	Version string // told to masters that want to know
	Jobs    *jobs.Jobs
	Grains  *grains.Store
	// Env is what functions see of the minion and of the master that their job came from.
	Env func(*Session) modules.Env
	// FireLocal fires an event on the bus of the minion that only informs.
	FireLocal func(tag string, data any)
	// Connected is told, on a goroutine of its own, of each session that is served now; ctx
	// ends with that. Nil: nobody is.
	Connected func(ctx context.Context, s *Session)
	// PillarChanged is told of each pillar that was fetched; it may be as it was. Nil: nobody is.
	PillarChanged func(*Session)
	Log           *slog.Logger
	Now           func() time.Time
}

// Sessions are those of one minion.
type Sessions struct {
	Config

	mu      sync.Mutex
	serving []*Session
}

// New prepares to open sessions.
func New(cfg Config) *Sessions { return &Sessions{Config: cfg} }

// Serving are the sessions that are served at this moment.
func (all *Sessions) Serving() []*Session {
	all.mu.Lock()
	defer all.mu.Unlock()
	return slices.Clone(all.serving)
}

// Reachable are the sessions that are subscribed; all that are served when none is, since
// requests wait for a master that comes back. One master that is gone delays nobody then
// who has another.
func (all *Sessions) Reachable() []*Session {
	serving := all.Serving()
	if up := slices.DeleteFunc(slices.Clone(serving), func(s *Session) bool { return !s.Up() }); len(up) > 0 {
		return up
	}
	return serving
}

// Each does something with each reachable session, at the same time, and returns the first
// error.
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
