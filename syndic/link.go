package syndic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// link is the connection to one master above.
type link struct {
	s       *Syndic
	name    string // as the configuration spells it
	host    string
	ch      *channel.Channel
	log     *slog.Logger
	events  *uplink
	returns *sender
	guest   bool        // a sibling of the parent
	inbox   chan []byte // publications in the order in which they came
	longest time.Duration
	figures linkFigures

	tail   channel.Tail               // how far publications were heard
	fetch  chan struct{}              // some were missed
	missed chan wire.Publication      // and fetched
	offers chan struct{}              // queued jobs that wait until the local master takes them
	homes  chan time.Duration         // the siblings are to be asked for, within that time
	handed *lru.Map[string, struct{}] // jobs that were begun to be handed on

	ours atomic.Bool // the parent has said that it is one of ours
	// unadmitted: the parent has said that this node is no home for others there.
	unadmitted atomic.Bool
	ready      chan uint64 // the number of a subscription that was connected

	mu       sync.Mutex
	conn     uint64    // counts connects and disconnects of the subscription
	up       bool      // subscribed and announced
	resting  bool      // its last request failed
	since    time.Time // of the last change between usable and not
	patience time.Duration
}

// Available tells whether returns should go this way.
func (l *link) Available() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up && !l.resting
}

// GoneFor tells whether the parent has not been usable for d.
func (l *link) GoneFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !(l.up && !l.resting) && time.Since(l.since) >= d
}

// BackFor tells whether the parent has been usable for d.
func (l *link) BackFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up && !l.resting && time.Since(l.since) >= d
}

// change alters what makes the parent usable. When that changes, rows get other
// owners now, and once more when the others have waited long enough.
func (l *link) change(alter func()) {
	l.mu.Lock()
	before := l.up && !l.resting
	alter()
	after := l.up && !l.resting
	if before != after {
		l.since = time.Now()
	}
	l.mu.Unlock()
	if before == after {
		return
	}
	l.s.returns.shift()
	wait := l.s.parents.after
	if after {
		wait = l.s.parents.back
	}
	// Also where there is no other one as yet: a sibling may stand in until then.
	time.AfterFunc(wait+time.Millisecond, l.s.returns.shift)
}

func (l *link) isUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

func (l *link) isResting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resting
}

// run serves the parent until ctx ends. An error that no retry can mend, such
// as a changed or refused key, is told again and again: an operator mends it at
// the parent, and nobody has to come here afterwards.
func (l *link) run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { l.events.run(ctx) })
	wg.Go(func() { l.events.teller.run(ctx) })
	wg.Go(func() { l.returns.run(ctx) })
	wg.Go(func() { l.publications(ctx) })
	wg.Go(func() { l.tellSiblings(ctx) })
	wg.Go(func() { l.catchUp(ctx) })
	for ctx.Err() == nil {
		if err := l.serve(ctx); err != nil && ctx.Err() == nil {
			l.log.Error("The master above cannot be served until somebody mends it; what it is owed waits", "err", err, "retry_in", l.s.pace.operator)
			_ = sleep.For(ctx, l.s.pace.operator)
		}
	}
	wg.Wait()
}

// errMoved ends a subscription that leads nowhere any more.
var errMoved = errors.New("the subscription has to be made anew")

// serve signs in and keeps the subscription until ctx ends or it has to be made
// anew.
func (l *link) serve(ctx context.Context) error {
	res, err := l.signIn(ctx)
	if err != nil {
		return err
	}
	l.log.Info("Signed in to the master above", "protocol", res.Version)
	addr := l.ch.PublishAddr(res, l.s.cfg.Upper.PublishPort)
	ctx, renew := context.WithCancelCause(ctx)
	defer renew(nil)
	dial := channel.DialOptions(l.s.cfg.Upper)
	if up := l.s.cfg.Upper; up.Place("recon_default") == (config.Place{}) && up.Place("recon_max") == (config.Place{}) {
		// Salt's ten seconds spare a master a crowd of minions. Nodes are few,
		// and a whole subtree waits for this one.
		dial.BackoffMin, dial.BackoffMax = 200*time.Millisecond, 2*time.Second
	}
	// A whole subtree is deaf while this edge is dead without a word, and the jobs
	// above wait for it.
	dial.HeartbeatInterval, dial.HeartbeatTimeout = l.s.pace.beat, 3*l.s.pace.beat
	dial.HeartbeatTTL = dial.HeartbeatTimeout
	dial.Identity, dial.Log = l.ch.Session(), l.log
	dial.OnConnect = l.connected
	dial.OnDisconnect = func(err error) {
		l.disconnected()
		if ctx.Err() == nil {
			l.log.Warn("The connection to the master above broke", "err", err)
		}
	}
	sub := zmtp.NewSub(addr, dial, l.ch.Topics(l.s.cfg.Upper.ZmqFiltering))
	var wg sync.WaitGroup
	wg.Go(func() { l.announce(ctx, renew) })
	wg.Go(func() { l.lookAround(ctx, addr, renew) })
	err = sub.Run(ctx, func(frames [][]byte) {
		select {
		case l.inbox <- frames[len(frames)-1]:
		case <-ctx.Done():
		}
	})
	wg.Wait()
	if errors.Is(err, errMoved) || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("subscription at %s: %w", addr, err)
}

// nameWait is the least pause before a name that could not be looked up is looked up
// again. Salt's retry_dns, 30 s, is for a minion; a whole subtree waits for a node.
const nameWait = 5 * time.Second

func (l *link) signIn(ctx context.Context) (channel.Result, error) {
	retry := l.s.pace.backoff()
	for {
		res, err := l.ch.SignIn(ctx)
		if err == nil || ctx.Err() != nil || channel.Fatal(err) {
			return res, err
		}
		wait := retry.wait()
		var dns *net.DNSError
		if errors.As(err, &dns) {
			wait = max(wait, nameWait)
		}
		l.log.Warn("Sign-in at the master above failed", "err", err, "retry_in", wait)
		if sleep.For(ctx, wait) != nil {
			return res, ctx.Err()
		}
	}
}

// lookAround asks a parent whose subscription stays away for its publish port: it
// may have been started with another one.
func (l *link) lookAround(ctx context.Context, addr string, renew context.CancelCauseFunc) {
	for sleep.For(ctx, l.s.pace.report) == nil {
		l.mu.Lock()
		away := l.conn%2 == 0
		l.mu.Unlock()
		if !away {
			continue
		}
		res, err := l.ch.Attempt(ctx)
		if err == nil && l.ch.PublishAddr(res, l.s.cfg.Upper.PublishPort) != addr {
			renew(errMoved)
			return
		}
	}
}

// connected is told when the subscription stands. Connections have odd numbers.
func (l *link) connected() {
	l.mu.Lock()
	l.conn++
	n := l.conn
	l.mu.Unlock()
	select {
	case <-l.ready: // an older one
	default:
	}
	l.ready <- n
}

func (l *link) disconnected() {
	l.tail.Lost()
	l.change(func() {
		l.conn++
		l.up = false
	})
}

// setUp lets returns and events go this way, if connection n still stands.
func (l *link) setUp(n uint64) {
	stands := false
	l.change(func() {
		stands = l.conn == n
		l.up = l.up || stands
	})
	if stands {
		l.askSiblings(0)
		l.s.returns.shift()
		ring(l.returns.back)
		ring(l.events.back)
	}
}

// rest keeps returns off this link while another one can take them.
func (l *link) rest(resting bool) {
	was := false
	l.change(func() { was, l.resting = l.resting, resting })
	if was != resting {
		l.s.returns.shift()
	}
}

// request sends one load. The time allowed is short at first, so that a connection
// that leads nowhere costs seconds, and grows with each time-out, so that a
// master that is merely slow is served as well.
func (l *link) request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	ctx, done := l.patient(ctx)
	v, err := l.ch.Request(ctx, load)
	done(err)
	return v, err
}

func (l *link) patient(ctx context.Context) (_ context.Context, done func(error)) {
	l.mu.Lock()
	allowed := max(l.patience, l.s.pace.answer)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, allowed)
	return ctx, func(err error) {
		late := errors.Is(ctx.Err(), context.DeadlineExceeded)
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case err == nil:
			l.patience = 0
		case late:
			l.patience = min(2*allowed, l.longest)
		}
	}
}
