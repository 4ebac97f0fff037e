package events

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/link"
)

// Uplink sends events to one parent. It is safe for concurrent use.
type Uplink struct {
	pending
	o        Options
	some     chan struct{} // an event is queued
	back     chan struct{} // the parent is usable again
	sender   sender
	reporter *reporter
	dropped  atomic.Uint64
}

// New returns an uplink with empty queues.
func New(o Options) *Uplink {
	u := &Uplink{o: o, some: make(chan struct{}, 1), back: make(chan struct{}, 1)}
	u.sender.o = &u.o
	u.reporter = newReporter(&u.o, &u.pending)
	u.init(o.Bounds, u.reporter.dropped)
	return u
}

// Run sends events and reports jobs again until ctx ends.
func (u *Uplink) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { u.reporter.run(ctx) })
	u.send(ctx)
	wg.Wait()
}

// Answer queues a report by this node on a job that its local master does not know.
func (u *Uplink) Answer(e bus.Event) {
	u.mu.Lock()
	u.answers.push(e)
	u.mu.Unlock()
	link.Signal(u.kick)
}

// Push queues an event. It never blocks.
func (u *Uplink) Push(e bus.Event) {
	if err := wire.FitsEvent(e.Data); err != nil { // no parent would ever accept it
		u.dropped.Add(1)
		u.o.Log.Error("event not forwarded to parents", "tag", e.Tag, "err", err)
		return
	}
	now := Urgent(e.Tag)
	u.mu.Lock()
	if now {
		//mutant:reports-keep-their-order
		u.reporter.pushed(e)
		u.urgent.push(e)
	} else {
		u.normal.push(e)
	}
	full := u.normal.len() >= u.o.Bounds.ReportBatch
	u.mu.Unlock()
	if now || full {
		link.Signal(u.kick)
	} else {
		link.Signal(u.some)
	}
}

// Back reports that the parent is usable again, and ends the wait before the next retry.
func (u *Uplink) Back() { link.Signal(u.back) }

// ReportAgain sends the expectations and missing minions of all jobs that concern the parent again,
// except closed jobs whose end it has accepted. lost means that reports were lost: the end of a job
// counts only after the job was reported again.
func (u *Uplink) ReportAgain(lost bool) { u.reporter.restart(lost) }

// Sweep starts a search for reports that should have been sent.
func (u *Uplink) Sweep() { link.Signal(u.reporter.sweeps) }

// Dropped returns the number of events lost to a full queue or too large for any parent.
func (u *Uplink) Dropped() uint64 { return u.dropped.Load() }

// Load is the number and size of queued events of one parent.
type Load struct {
	Urgent, UrgentBytes     int
	Normal, NormalBytes     int
	InFlight, InFlightBytes int // urgent events in flight
}

// Load returns the current load.
func (u *Uplink) Load() Load {
	u.mu.Lock()
	defer u.mu.Unlock()
	return Load{
		Urgent: u.urgent.len() + u.answers.len(), UrgentBytes: u.urgent.bytes + u.answers.bytes,
		Normal: u.normal.len(), NormalBytes: u.normal.bytes, InFlight: u.inFlight.events, InFlightBytes: u.inFlight.bytes,
	}
}
