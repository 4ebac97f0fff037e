package link

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// Options configure a [Link]. All are required.
type Options struct {
	Upper   *config.Minion // the node as a minion of its parents
	Name    string         // of the parent, as in the configuration
	Channel *channel.Channel
	Version string         // of this program
	Tree    *topology.Tree // rooted at the local master
	// Left returns the masters that this node has left not long ago ([sibling.Visits]).
	Left func(now time.Time) []string
	// Shift reports that row ownership may have changed, because the parent connected or
	// disconnected.
	Shift func()
	// After is how long a parent must be gone before another takes its place, Back how long it must
	// be back before it is preferred again.
	After, Back time.Duration
	Pace        *Pace
	Rescues     *logs.Rescues
	Log         *slog.Logger
}

// Link is the connection to one parent. It is safe for concurrent use.
type Link struct {
	o        Options
	timeouts timeouts
	ours     atomic.Bool // the parent has identified itself as a mom master
	ready    chan uint64 // number of a new subscription

	mu      sync.Mutex
	conn    uint64    // incremented at each connect and disconnect; odd while connected
	up      bool      // subscribed and announced
	resting bool      // its last request failed
	since   time.Time // of the last change between usable and not
}

// New returns a link that is not connected; Run connects it.
func New(o Options) *Link {
	return &Link{
		o: o, ready: make(chan uint64, 1),
		since: time.Now(), timeouts: timeouts{longest: max(o.Upper.RequestChannelTimeout, o.Pace.Answer)},
	}
}

// Ours reports whether the parent has identified itself as a mom master.
func (l *Link) Ours() bool { return l.ours.Load() }

// Available reports whether returns should go to this parent.
func (l *Link) Available() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up && !l.resting
}

// GoneFor reports whether the parent has been unusable for d.
func (l *Link) GoneFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !(l.up && !l.resting) && time.Since(l.since) >= d
}

// BackFor reports whether the parent has been usable for d.
func (l *Link) BackFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up && !l.resting && time.Since(l.since) >= d
}

// DownFor reports whether there has been no subscription for d.
func (l *Link) DownFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.up && time.Since(l.since) >= d
}

// change calls alter, which may change whether the parent is usable. If it does, row ownership
// changes now, and again when the other parents have waited long enough.
func (l *Link) change(alter func()) {
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
	l.o.Shift()
	wait := l.o.After
	if after {
		wait = l.o.Back
	}
	// Needed with one parent, too: a sibling may stand in for it by then.
	//mutant:absent-parent-starts-failover
	time.AfterFunc(wait+time.Millisecond, l.o.Shift)
}

// IsUp reports whether the node is subscribed and announced.
func (l *Link) IsUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

// IsResting reports whether the last request with returns failed.
func (l *Link) IsResting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resting
}

// SetResting keeps returns off this link while another parent can take them.
func (l *Link) SetResting(resting bool) {
	was := false
	l.change(func() { was, l.resting = l.resting, resting })
	if was != resting {
		l.o.Shift()
	}
}

// setUp marks the link as up and calls up, if connection n still stands.
func (l *Link) setUp(n uint64, up func()) {
	stands := false
	l.change(func() {
		stands = l.conn == n
		l.up = l.up || stands
	})
	if stands {
		l.o.Shift()
		up()
	}
}

// Request sends a load and blocks until the answer arrives, ctx ends, or the adaptive timeout for
// its cmd expires.
func (l *Link) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	ctx, done := l.timeouts.begin(ctx, load.String("cmd"), l.o.Pace.Answer)
	v, err := l.o.Channel.Request(ctx, load)
	done(err)
	return v, err
}
