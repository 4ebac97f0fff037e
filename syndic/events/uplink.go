package events

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/pace"
)

// Uplink sends events to one master above, the urgent ones at once. It is safe for
// concurrent use.
type Uplink struct {
	waits
	o        Options
	some     chan struct{} // something waits
	back     chan struct{} // the parent is usable
	requests requests
	teller   *teller
	dropped  atomic.Uint64
}

// New makes an uplink for which nothing waits.
func New(o Options) *Uplink {
	u := &Uplink{o: o, some: make(chan struct{}, 1), back: make(chan struct{}, 1)}
	u.requests.o = &u.o
	u.teller = newTeller(&u.o, &u.waits)
	u.init(o.Bounds, u.teller.lost)
	return u
}

// Run sends what comes, and tells jobs again, until ctx ends.
func (u *Uplink) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { u.teller.run(ctx) })
	u.send(ctx)
	wg.Wait()
}

// Answer queues what this node says of a job that its local master does not know.
func (u *Uplink) Answer(e bus.Event) {
	u.mu.Lock()
	u.answers.push(e)
	u.mu.Unlock()
	pace.Ring(u.kick)
}

// Push queues an event and never waits.
func (u *Uplink) Push(e bus.Event) {
	if err := wire.FitsEvent(e.Data); err != nil { // no master above takes it, ever
		u.dropped.Add(1)
		u.o.Log.Error("event not forwarded to parents", "tag", e.Tag, "err", err)
		return
	}
	now := Urgent(e.Tag)
	u.mu.Lock()
	if now {
		//mutant:reports-keep-their-order
		u.teller.heard(e)
		u.urgent.push(e)
	} else {
		u.news.push(e)
	}
	full := u.news.len() >= u.o.Bounds.TellBatch
	u.mu.Unlock()
	if now || full {
		pace.Ring(u.kick)
	} else {
		pace.Ring(u.some)
	}
}

// Back tells that the parent is usable again: what waits need not wait any longer.
func (u *Uplink) Back() { pace.Ring(u.back) }

// Retell has the parent told again who has to answer the jobs that concern it and who
// will not, but for closed ones of which it has heard the end. lost: words of jobs
// are gone, and ends do not count before their jobs were told again.
func (u *Uplink) Retell(lost bool) { u.teller.begin(lost) }

// Sweep looks for what should have been told, and was not.
func (u *Uplink) Sweep() { pace.Ring(u.teller.sweeps) }

// Dropped counts the events that were lost because too many waited, or that no master
// above takes.
func (u *Uplink) Dropped() uint64 { return u.dropped.Load() }

// Load is how many events wait for a parent, and how many bytes they have.
type Load struct {
	Urgent, UrgentBytes int
	News, NewsBytes     int
	Aloft, AloftBytes   int // urgent ones that are under way
}

// Load tells what waits now.
func (u *Uplink) Load() Load {
	u.mu.Lock()
	defer u.mu.Unlock()
	return Load{
		Urgent: u.urgent.len() + u.answers.len(), UrgentBytes: u.urgent.bytes + u.answers.bytes,
		News: u.news.len(), NewsBytes: u.news.bytes, Aloft: u.aloft.words, AloftBytes: u.aloft.bytes,
	}
}
