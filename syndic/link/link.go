package link

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/pace"
	"github.com/momtree/mom/topology"
)

// Options of a [Link]. None may be left out.
type Options struct {
	Upper   *config.Minion // the node as its parents know it
	Name    string         // of the parent, as the configuration spells it
	Channel *channel.Channel
	Version string         // of this program
	Tree    *topology.Tree // from the local master down
	// Shift tells that rows may have got another owner, since the parent came or went.
	Shift func()
	// After is how long a parent has to be gone before another takes its place, Back how
	// long it has to be back before it is preferred again.
	After, Back time.Duration
	Pace        *pace.Pace
	Rescues     *rescue.Counter
	Log         *slog.Logger
}

// Link is the connection to one master above. It is safe for concurrent use.
type Link struct {
	o        Options
	patience patience
	ours     atomic.Bool // the parent has said that it is one of ours
	ready    chan uint64 // the number of a subscription that was connected

	mu      sync.Mutex
	conn    uint64    // counts connects and disconnects of the subscription
	up      bool      // subscribed and announced
	resting bool      // its last request failed
	since   time.Time // of the last change between usable and not
}

// New makes a link that is not connected.
func New(o Options) *Link {
	return &Link{
		o: o, ready: make(chan uint64, 1),
		since: time.Now(), patience: patience{longest: max(o.Upper.RequestChannelTimeout, o.Pace.Answer)},
	}
}

// Ours tells whether the parent has said that it is one of ours.
func (l *Link) Ours() bool { return l.ours.Load() }

// Available tells whether returns should go this way.
func (l *Link) Available() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up && !l.resting
}

// GoneFor tells whether the parent has not been usable for d.
func (l *Link) GoneFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !(l.up && !l.resting) && time.Since(l.since) >= d
}

// BackFor tells whether the parent has been usable for d.
func (l *Link) BackFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up && !l.resting && time.Since(l.since) >= d
}

// DownFor tells whether there has been no subscription for d.
func (l *Link) DownFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.up && time.Since(l.since) >= d
}

// change alters what makes the parent usable. When that changes, rows get other
// owners now, and once more when the others have waited long enough.
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
	// Also where there is no other one as yet: a sibling may stand in until then.
	//mutant:absent-parent-starts-failover
	time.AfterFunc(wait+time.Millisecond, l.o.Shift)
}

// IsUp tells whether the parent is subscribed to, and has been greeted.
func (l *Link) IsUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

// IsResting tells whether the last request with returns failed.
func (l *Link) IsResting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resting
}

// SetResting keeps returns off this link while another one can take them.
func (l *Link) SetResting(resting bool) {
	was := false
	l.change(func() { was, l.resting = l.resting, resting })
	if was != resting {
		l.o.Shift()
	}
}

// setUp lets returns and events go this way, if connection n still stands.
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

// Request sends one load, with the patience for requests of its cmd.
func (l *Link) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	ctx, done := l.patience.begin(ctx, load.String("cmd"), l.o.Pace.Answer)
	v, err := l.o.Channel.Request(ctx, load)
	done(err)
	return v, err
}
