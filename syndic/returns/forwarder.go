package returns

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/pace"
)

// ForwarderOptions of a [Forwarder]. None may be left out.
type ForwarderOptions struct {
	// Senders are those to the masters above that there are now.
	Senders func() []*Sender
	// Sweep is called when it is time to look for what was passed over, beside the rows
	// of the senders.
	Sweep  func()
	Outbox returners.SharedOutbox
	Grown  <-chan struct{} // delivers a value when the outbox may have grown
	// After is how long a parent has to be gone before another takes its place.
	After time.Duration
	// Gather is how long the first return waits for more (syndic_event_forward_timeout).
	Gather time.Duration
	Bounds bounds.Bounds
	Pace   *pace.Pace
	Log    *slog.Logger
}

// Forwarder empties the outbox toward the masters above. It decides when; each
// sender does the work, so that one slow parent holds up nobody else.
type Forwarder struct {
	o      ForwarderOptions
	now    chan struct{}
	shifts atomic.Uint64 // counts changes of who owns which rows
}

// NewForwarder makes one that does nothing before it runs.
func NewForwarder(o ForwarderOptions) *Forwarder {
	return &Forwarder{o: o, now: make(chan struct{}, 1)}
}

// Flush makes all senders send at once what is owed.
func (f *Forwarder) Flush() { pace.Ring(f.now) }

// Shift tells that a parent came or went, or asked for a job that is here: rows may
// have got another owner.
func (f *Forwarder) Shift() {
	f.shifts.Add(1)
	f.Flush()
}

// Shifts counts those changes.
func (f *Forwarder) Shifts() uint64 { return f.shifts.Load() }

// Run sends syndic_event_forward_timeout after the first return, or at once when
// a batch is full, a job is complete, or a parent is back.
func (f *Forwarder) Run(ctx context.Context) {
	f.forget(ctx)
	gather := time.NewTimer(0) // what an earlier life has left
	defer gather.Stop()
	first := Gather{Rows: f.o.Bounds.ForwardRows}
	first.Grown(0)
	// Those that do not come within that time are gone from then on.
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

// waiting counts the rows that are in no window as yet.
func (f *Forwarder) waiting() int64 {
	rows, _ := f.o.Outbox.OutboxSize(returners.DestAbove)
	for _, s := range f.o.Senders() {
		rows -= s.Held()
	}
	return rows
}

// forgetStep is how many rows of a master above that is none any more are dropped at
// a time.
const forgetStep = 1000

// forget drops what masters above are owed by name that this node has no more: others
// have had it.
func (f *Forwarder) forget(ctx context.Context) {
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

// Drop forgets a destination.
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
