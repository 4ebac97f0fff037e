package session

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/salt/modules"
)

// Session is the connection to one master: requests to it, publications from it, and the pillar
// that it compiled.
type Session struct {
	all       *Sessions
	name      string // as configured
	log       *slog.Logger
	ch        *channel.Channel
	outbox    *delivery.Outbox
	pillar    atomic.Pointer[wire.Map]
	up        *subscription
	tail      channel.Tail        // how far publications were received
	fetch     chan struct{}       // some publications were missed
	reauth    chan channel.Result // requests a sign-in after a reconnect; the keys before the loss
	renew     chan struct{}       // after each sign-in
	ours      atomic.Bool         // the master knows `_presence`
	silent    bool                // the master does not know `_presence`; only announceAll uses it
	announced chan struct{}       // closed when the master has accepted an announcement
	sent      atomic.Pointer[view]
	passed    *passed

	hearsDeclined atomic.Bool    // the master knows `_declined`
	declined      chan *wire.Map // pending refusals for it
	o             Options
}

// Options are the settings of one session.
type Options struct {
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

// Open prepares a session with a master; name identifies it in the log and to jobs. The session
// delivers the returns in box; with nil it sends only requests.
func (all *Sessions) Open(name string, box *delivery.Outbox, o Options) (*Session, error) {
	cfg, err := channel.FromMinion(all.Options, "minion", name)
	if err != nil {
		return nil, err
	}
	cfg.Log, cfg.Now = all.Log, all.Now
	if o.AuthTries > 0 {
		cfg.AuthTries = o.AuthTries
	}
	if o.Change != nil {
		if err := o.Change(&cfg); err != nil {
			return nil, fmt.Errorf("master %s: %w", name, err)
		}
	}
	if names := all.Options.AutosignGrains; len(names) > 0 {
		cfg.AutosignGrains = all.Grains.Some(names)
	}
	s := &Session{
		all: all, name: name, log: all.Log.With("master", name), outbox: box, o: o,
		up: newSubscription(), fetch: make(chan struct{}, 1), reauth: make(chan channel.Result, 1), renew: make(chan struct{}, 1),
		announced: make(chan struct{}), passed: lru.New[string, []string](maxPassed),
		declined: make(chan *wire.Map, maxDeclined),
	}
	cfg.OnSignIn = func(channel.Result) {
		select {
		case s.renew <- struct{}{}:
		default:
		}
	}
	if s.ch, err = channel.New(cfg); err != nil {
		return nil, fmt.Errorf("master %s: %w", name, err)
	}
	s.pillar.Store(wire.NewMap())
	s.tail.Filtered = all.Options.ZmqFiltering
	s.tail.Refused = func(p wire.Publication, why error) {
		s.log.Warn("publication dropped", "jid", p.JID, "err", why)
		s.decline(p, why)
	}
	return s, nil
}

// Name returns the name of the master as configured.
func (s *Session) Name() string { return s.name }

// Channel returns the channel for requests.
func (s *Session) Channel() *channel.Channel { return s.ch }

// Outbox returns the outbox with the returns for the master.
func (s *Session) Outbox() *delivery.Outbox { return s.outbox }

// Subscribed reports whether the subscription is up; changed is closed when that changes.
func (s *Session) Subscribed() (now bool, changed <-chan struct{}) { return s.up.state() }

// Up reports whether the subscription is up.
func (s *Session) Up() bool { return s.up.is() }

// Announced returns a channel that is closed when the master has accepted an announcement.
func (s *Session) Announced() <-chan struct{} { return s.announced }

// Ours reports whether the master knows `_presence`.
func (s *Session) Ours() bool { return s.ours.Load() }

// Push stores the return of a job for this master.
func (s *Session) Push(jid string, load []byte) error { return s.outbox.Push(jid, load) }

// Env returns the environment of functions: the minion, and this master.
func (s *Session) Env() modules.Env { return s.all.Env(s) }

// ReportInterrupted returns to this master the jobs that an earlier run of the minion left
// unfinished.
func (s *Session) ReportInterrupted() { s.all.Jobs.ReportInterrupted(s, nil) }

// sender returns the sender of the outbox to this master.
func (s *Session) sender() *delivery.Sender {
	cfg := s.all.Options
	return &delivery.Sender{
		Outbox: s.outbox, Channel: s.ch, Minion: cfg.ID, Master: s.name, Log: s.log, Changed: s.up.next, Tracer: s.all.Jobs.Tracer,
		Tries: cfg.ReturnRetryTries, RetryMin: cfg.ReturnRetryTimer, RetryMax: cfg.ReturnRetryTimerMax,
	}
}

// Serve receives publications and delivers returns until ctx ends. res is the sign-in that was
// just accepted.
func (s *Session) Serve(ctx context.Context, res channel.Result) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	defer s.up.set(false)

	if err := s.RefreshPillar(ctx, false); err != nil && ctx.Err() == nil {
		s.log.Error("no pillar yet, jobs run without", "err", err)
		wg.Go(func() { s.pillarLater(ctx) })
	}
	s.all.enter(s)
	defer s.all.leave(s)
	mine, end := s.outbox.TakeOver(ctx)
	wg.Go(func() {
		defer end()
		s.awaitAnnounced(mine)
		s.sender().Run(mine)
	})
	wg.Go(func() { s.announceAll(ctx) })
	wg.Go(func() { s.catchUp(ctx) })
	wg.Go(func() { s.signInAgain(ctx) })
	wg.Go(func() { s.ping(ctx) })
	wg.Go(func() { s.reportDeclined(ctx) })
	if s.all.Connected != nil {
		wg.Go(func() { s.all.Connected(ctx, s) })
	}
	for ctx.Err() == nil {
		s.subscribe(ctx, res)
		if fresh, ok := s.ch.Current(); ok {
			res = fresh
		}
	}
}
