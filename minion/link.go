package minion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/minion/delivery"
)

// The subscription's heartbeat: a master that is gone without a word is noticed
// after heartbeatTimeout, one whose process ended at once.
const (
	heartbeatInterval = 5 * time.Second
	heartbeatTimeout  = 15 * time.Second
)

// link is the connection to one master: requests one way, publications the
// other, and the pillar that master gave.
type link struct {
	m      *Minion
	name   string // as configured
	log    *slog.Logger
	ch     *channel.Channel
	outbox *delivery.Outbox
	pillar atomic.Pointer[wire.Map]
	up     *presence
	tail   channel.Tail        // how far publications were heard
	fetch  chan struct{}       // some were missed
	reauth chan channel.Result // asks for a sign-in after a reconnect; the keys before the loss
	renew  chan struct{}       // after each sign-in
	ours   atomic.Bool         // the master knows `_presence`
	silent bool                // the master does not know `_presence`; greet alone uses it
	said   chan struct{}       // closed when the master has taken an announcement
	linkOptions
}

// linkOptions are what differs between the links of one minion.
type linkOptions struct {
	// AuthTries replaces the option auth_tries; 0: as that says.
	AuthTries int
	// Change alters how the master is reached and known; nil: as the options say.
	Change func(*channel.Config) error
	// Announce is added to what the master is told at each connect; nil: nothing.
	Announce *wire.Map
	// AnnounceFirst holds returns back until the master has taken an announcement, which
	// names their jobs, but no longer than this; 0: they are sent at once.
	AnnounceFirst time.Duration
	// News hears what the master's node publishes to those below it; nil: nobody does. It
	// must not wait.
	News func(nodecall.News)
}

func newLink(m *Minion, name string, box *delivery.Outbox, o linkOptions) (*link, error) {
	cfg, err := channel.FromMinion(m.cfg, "minion", name)
	if err != nil {
		return nil, err
	}
	cfg.Log, cfg.Now = m.log, m.now
	if o.AuthTries > 0 {
		cfg.AuthTries = o.AuthTries
	}
	if o.Change != nil {
		if err := o.Change(&cfg); err != nil {
			return nil, fmt.Errorf("master %s: %w", name, err)
		}
	}
	if names := m.cfg.AutosignGrains; len(names) > 0 {
		cfg.AutosignGrains = m.grains.some(names)
	}
	l := &link{
		m: m, name: name, log: m.log.With("master", name), outbox: box,
		up: newPresence(), fetch: make(chan struct{}, 1), reauth: make(chan channel.Result, 1), renew: make(chan struct{}, 1),
		said: make(chan struct{}), linkOptions: o,
	}
	cfg.OnSignIn = func(channel.Result) {
		select {
		case l.renew <- struct{}{}:
		default:
		}
	}
	if l.ch, err = channel.New(cfg); err != nil {
		return nil, fmt.Errorf("master %s: %w", name, err)
	}
	l.pillar.Store(wire.NewMap())
	l.tail.Filtered = m.cfg.ZmqFiltering
	l.tail.Refused = func(p wire.Publication, why error) {
		l.log.Warn("publication dropped", "jid", p.JID, "error", why)
		l.decline(p, why)
	}
	return l, nil
}

// sender delivers what is in the outbox to this master.
func (l *link) sender() *delivery.Sender {
	cfg := l.m.cfg
	return &delivery.Sender{
		Outbox: l.outbox, Channel: l.ch, Minion: cfg.ID, Master: l.name, Log: l.log, Changed: l.up.next,
		Tries: cfg.ReturnRetryTries, RetryMin: cfg.ReturnRetryTimer, RetryMax: cfg.ReturnRetryTimerMax,
	}
}

// SignIn tries until it succeeds, or until trying cannot help.
func (l *link) SignIn(ctx context.Context) (channel.Result, error) {
	cfg := l.m.cfg
	wait := cfg.AcceptanceWaitTime
	for {
		res, err := l.ch.SignIn(ctx)
		if err == nil || ctx.Err() != nil || ends(err) {
			return res, err
		}
		pause := wait + rand.N(wait/10+1)
		var dns *net.DNSError
		if errors.As(err, &dns) {
			if pause = cfg.RetryDns; pause == 0 {
				return res, err
			}
		}
		l.log.Error("cannot sign in", "again_in", pause, "error", err)
		if sleep.For(ctx, pause) != nil {
			return res, err
		}
		wait = min(2*wait, max(cfg.AcceptanceWaitTime, cfg.AcceptanceWaitTimeMax))
	}
}

// ends reports whether Salt's minion gives up on this sign-in error. All others
// an operator can mend at the master while the minion tries on.
func ends(err error) bool {
	return errors.Is(err, channel.ErrRejected) || errors.Is(err, channel.ErrBadFinger) ||
		errors.Is(err, channel.ErrBadAlgorithm)
}

// Serve hears and answers the master until ctx ends. res is the sign-in that
// has just been accepted.
func (l *link) Serve(ctx context.Context, res channel.Result) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	defer l.up.set(false)

	if err := l.refreshPillar(ctx, false); err != nil && ctx.Err() == nil {
		l.log.Error("no pillar yet, jobs run without", "error", err)
		wg.Go(func() { l.pillarLater(ctx) })
	}
	l.m.enter(l)
	defer l.m.leave(l)
	mine, end := l.outbox.TakeOver(ctx)
	wg.Go(func() {
		defer end()
		l.awaitSaid(mine)
		l.sender().Run(mine)
	})
	wg.Go(func() { l.greet(ctx) })
	wg.Go(func() { l.catchUp(ctx) })
	wg.Go(func() { l.signInAgain(ctx) })
	wg.Go(func() { l.ping(ctx) })
	for ctx.Err() == nil {
		l.subscribe(ctx, res)
		if fresh, ok := l.ch.Current(); ok {
			res = fresh
		}
	}
}

// subscribe hears publications until ctx ends or the master has moved them to
// another port.
func (l *link) subscribe(ctx context.Context, res channel.Result) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	addr := l.ch.PublishAddr(res, l.m.cfg.PublishPort)
	d := channel.DialOptions(l.m.cfg)
	d.Identity, d.Log = l.ch.Session(), l.log
	d.HeartbeatInterval, d.HeartbeatTimeout = heartbeatInterval, heartbeatTimeout
	d.OnConnect = func() {
		l.log.Info("subscribed", "addr", addr)
		l.up.set(true)
	}
	d.OnDisconnect = func(err error) {
		if ctx.Err() == nil {
			l.log.Warn("subscription lost", "addr", addr, "error", err)
		}
		l.tail.Lost()
		l.up.set(false)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		defer cancel()
		l.watchPort(ctx, addr)
	})
	sub := zmtp.NewSub(addr, d, l.ch.Topics(l.m.cfg.ZmqFiltering))
	if err := sub.Run(ctx, func(frames [][]byte) { l.receive(ctx, frames) }); err != nil && ctx.Err() == nil {
		l.log.Error("subscription ended", "addr", addr, "error", err)
		_ = sleep.For(ctx, l.m.cfg.ReconMax) // it ends by itself only when it cannot work
	}
	cancel()
}

// watchPort returns when the master names another port for publications than
// the one being dialled. It asks only while the subscription is down.
func (l *link) watchPort(ctx context.Context, addr string) {
	for {
		if l.up.await(ctx, false) != nil {
			return
		}
		if sleep.For(ctx, l.m.cfg.ReconMax+rand.N(l.m.cfg.ReconMax+1)) != nil {
			return
		}
		if l.up.is() {
			continue
		}
		res, err := l.ch.Attempt(ctx)
		if err == nil && l.ch.PublishAddr(res, l.m.cfg.PublishPort) != addr {
			l.log.Info("publications have moved", "from", addr)
			return
		}
	}
}
