package failover

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
)

const (
	// moveTag is the local event that asks the minion to move; `mom node drain` and
	// `mom node rebalance` have it fired by the function event.fire.
	moveTag = "mom/home/move"
	// arrival is how long a move waits for the new master to see us before the old one
	// is given up all the same.
	arrival = 10 * time.Second
	// overlap is how long we then hear both: a job may reach the new master before it
	// sees us, and the old one a moment later.
	overlap = time.Second
	// reach is the time a master that seems gone has for a last word, and one that
	// is tried for an answer.
	reach = 3 * time.Second
)

// SessionOptions are what differs between the sessions of one minion.
type SessionOptions struct {
	// AuthTries replaces the option auth_tries; 0: as that says.
	AuthTries int
	// Change alters how the master is reached and known; nil: as the minion's options say.
	Change func(*channel.Config) error
	// Announce is added to what the master is told at each connect; nil: nothing.
	Announce *wire.Map
	// AnnounceFirst holds returns back until the master has taken an announcement, which
	// names their jobs, but no longer than this; 0: they are sent at once.
	AnnounceFirst time.Duration
	// News hears what the master's node publishes to those below it; nil: nobody does. It must not wait.
	News func(nodecall.News)
}

// Session is a connection with one master.
type Session interface {
	Name() string
	Channel() *channel.Channel
	// SignIn tries until it succeeds, or until trying cannot help.
	SignIn(ctx context.Context) (channel.Result, error)
	// Serve hears and answers the master until ctx ends.
	Serve(ctx context.Context, signedIn channel.Result)
	// ReportInterrupted returns the jobs that an earlier run of the minion did not live to
	// answer.
	ReportInterrupted()
	// Subscribed tells whether publications can be heard now; changed is closed when that
	// is no longer so.
	Subscribed() (now bool, changed <-chan struct{})
	// Announced is closed when the master has taken an announcement.
	Announced() <-chan struct{}
}

// Config is what Run needs.
type Config struct {
	// Open prepares a session with a master, under the name that the log and the minion's
	// jobs know it by. All sessions deliver from the same outbox, the last one alone.
	Open func(name string, o SessionOptions) (Session, error)
	// Options are those of the minion; the one master of the option is Master.
	Options *config.Minion
	Master  string
	// Bus has the local events that ask the minion to move.
	Bus *bus.Bus
	Log *slog.Logger
}

// mover is one run.
type mover struct {
	Config
	known *known
	moves *bus.Subscription
}

// Run serves the primary while it is there, a sibling of it otherwise, until ctx ends or
// the primary refuses the minion for good.
func Run(ctx context.Context, cfg Config) error {
	k, err := openKnown(cfg.Options.Cachedir, cfg.Master)
	if err != nil {
		cfg.Log.Warn("saved siblings ignored", "err", err)
	}
	m := &mover{Config: cfg, known: k}
	m.moves = cfg.Bus.Subscribe(bus.SubscribeOptions{Size: 16, Match: func(e bus.Event) bool { return e.Tag == moveTag }})
	defer m.moves.Close()
	//mutant:remembered-home-is-given-up
	cur, err := m.start(ctx)
	if err != nil {
		return err
	}
	cur.ReportInterrupted()
	for {
		t, ended := m.await(ctx, cur)
		if ctx.Err() != nil {
			cur.leave()
			return nil
		}
		if ended && !cur.guest.Load() {
			cur.leave()
			return cur.err
		}
		next := m.move(ctx, t, cur)
		if next == nil {
			if !ended {
				continue
			}
			// A sibling turned us away, and no other takes us.
			if next, err = m.primary(ctx, false, true); err != nil {
				return err
			}
		}
		cur.leave()
		cur = next
	}
}
