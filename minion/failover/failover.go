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
	// moveTag is the local event that asks the minion to move. `mom node drain` and `mom node
	// rebalance` fire it with the function event.fire.
	moveTag = "mom/home/move"
	// arrival is how long a move waits for the new master to see the subscription before it
	// leaves the old master anyway.
	arrival = 10 * time.Second
	// overlap is how long the minion stays subscribed to both: a job may reach the new master
	// before it sees the subscription, and the old master a moment later.
	overlap = time.Second
	// reach is the time that a master that seems gone has for an answer, and each one that is
	// tried.
	reach = 3 * time.Second
)

// SessionOptions are the settings of one session.
type SessionOptions struct {
	// AuthTries replaces the option auth_tries; 0 means that option.
	AuthTries int
	// Change alters the configuration of the channel to the master; nil means the minion's
	// options.
	Change func(*channel.Config) error
	// Announce returns what is added to the announcement at each connect; nil adds nothing.
	Announce func() *wire.Map
	// AnnounceFirst delays returns until the master has accepted an announcement, which names
	// their jobs, but no longer than this. 0 sends them at once.
	AnnounceFirst time.Duration
	// Changed is called for each [nodecall.Change] from the master, if not nil. It must not block.
	Changed func(nodecall.Change)
}

// Session is a connection to one master.
type Session interface {
	Name() string
	Channel() *channel.Channel
	// SignIn retries until it succeeds, or until retrying cannot help.
	SignIn(ctx context.Context) (channel.Result, error)
	// Serve receives publications and delivers returns until ctx ends.
	Serve(ctx context.Context, signedIn channel.Result)
	// ReportInterrupted returns the jobs that an earlier run of the minion left unfinished.
	ReportInterrupted()
	// Subscribed reports whether the subscription is up; changed is closed when that changes.
	Subscribed() (now bool, changed <-chan struct{})
	// Announced returns a channel that is closed when the master has accepted an announcement.
	Announced() <-chan struct{}
}

// Config holds the dependencies of [Run].
type Config struct {
	// Open prepares a session with a master; name identifies it in the log and to the minion's
	// jobs. All sessions share one outbox, and only the last delivers from it.
	Open func(name string, o SessionOptions) (Session, error)
	// Options are the options of the minion; Master is the one master in them.
	Options *config.Minion
	Master  string
	// Bus carries the local events that ask the minion to move.
	Bus *bus.Bus
	Log *slog.Logger
}

// mover is the state of one Run.
type mover struct {
	Config
	known *known
	moves *bus.Subscription
}

// Run serves the primary while it is available, and a sibling of it otherwise. It returns nil
// when ctx ends, and an error when the primary rejects the minion for good.
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
		m.leave(cur) // before the next master gets an announcement
		next := m.move(ctx, t, cur)
		if next == nil {
			if !ended {
				continue
			}
			// A sibling rejected us, and no other accepts us.
			if next, err = m.primary(ctx, false, true); err != nil {
				return err
			}
		}
		cur.leave()
		cur = next
	}
}
