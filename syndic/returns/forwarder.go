package returns

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

// ForwarderOptions configure a [Forwarder]. All are required.
type ForwarderOptions struct {
	// Senders returns the senders to the current parents.
	Senders func() []*Sender
	// Sweep is called periodically, together with Sender.Sweep.
	Sweep  func()
	Outbox returners.SharedOutbox
	Grown  <-chan struct{} // receives a value when the outbox may have grown
	// After is how long a parent must be gone before another takes its place.
	After time.Duration
	// Gather is how long the first return waits for more (syndic_event_forward_timeout).
	Gather time.Duration
	Bounds bounds.Bounds
	Pace   *link.Pace
	Log    *slog.Logger
}

// Forwarder sends the outbox to the parents. It decides when; each Sender does the work, so a slow
// parent delays no other.
type Forwarder struct {
	o      ForwarderOptions
	now    chan struct{}
	shifts atomic.Uint64 // number of changes of row ownership
}

// NewForwarder returns a Forwarder; Run starts it.
func NewForwarder(o ForwarderOptions) *Forwarder {
	return &Forwarder{o: o, now: make(chan struct{}, 1)}
}

// Flush makes all senders send pending returns at once.
func (f *Forwarder) Flush() { link.Signal(f.now) }

// Shift reports that row ownership may have changed: a parent connected or disconnected, or
// requested a job that is stored here.
func (f *Forwarder) Shift() {
	f.shifts.Add(1)
	f.Flush()
}

// Shifts returns the number of calls of Shift.
func (f *Forwarder) Shifts() uint64 { return f.shifts.Load() }

// Run wakes the senders until ctx ends: syndic_event_forward_timeout after the first return, or at
// once when a batch is full, a job is complete, or a parent is back.
func (f *Forwarder) Run(ctx context.Context) {
	f.dropUnknown(ctx)
	gather := time.NewTimer(0) // rows of an earlier run
	defer gather.Stop()
	first := Gather{Rows: f.o.Bounds.ForwardRows}
	first.Grown(0)
	// Parents that have not connected by then count as gone.
	//mutant:absent-parent-yields-its-rows
	gone := time.AfterFunc(f.o.After+time.Millisecond, f.Shift)
	defer gone.Stop()
	sweep := time.NewTicker(f.o.Pace.Sweep)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			for _, s := range f.o.Senders() {
				s.Sweep()
			}
			f.o.Sweep()
			continue
		case <-f.o.Grown:
			arm, now := first.Grown(f.waiting())
			if arm {
				gather.Reset(f.o.Gather)
			}
			if !now {
				continue
			}
		case <-gather.C:
			first.Due()
		case <-f.now:
		}
		for _, s := range f.o.Senders() {
			s.Wake()
		}
	}
}

// waiting returns the number of rows that are in no window.
func (f *Forwarder) waiting() int64 {
	rows, _ := f.o.Outbox.OutboxSize(returners.DestAbove)
	for _, s := range f.o.Senders() {
		rows -= s.Held()
	}
	return rows
}

// forgetStep bounds the rows deleted per transaction.
const forgetStep = 1000

// dropUnknown deletes rows for parents that are no longer configured; other parents have them.
func (f *Forwarder) dropUnknown(ctx context.Context) {
	known := map[string]bool{returners.DestAbove: true}
	for _, s := range f.o.Senders() {
		known[s.Dest()] = true
	}
	for dest, rows := range f.o.Outbox.OutboxDests() {
		if returners.IsParent(dest) && !known[dest] {
			f.o.Log.Warn("dropped returns for a parent no longer in syndic_master, another parent has them", "dest", dest, "count", rows)
			f.Drop(ctx, dest)
		}
	}
}

// Drop deletes all rows of a destination.
func (f *Forwarder) Drop(ctx context.Context, dest string) {
	for {
		n, err := f.o.Outbox.OutboxForget(ctx, dest, forgetStep)
		if err != nil && ctx.Err() == nil {
			f.o.Log.Error("returns for a former parent not removed from the outbox", "dest", dest, "err", err)
		}
		if err != nil || n == 0 {
			return
		}
	}
}
