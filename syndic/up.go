package syndic

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/forwarding"
)

// forwarder empties the outbox toward the masters above. It decides when; each
// link's sender does the work, so that one slow parent holds up nobody else.
type forwarder struct {
	s      *Syndic
	now    chan struct{}
	shifts atomic.Uint64 // counts changes of who owns which rows
}

func newForwarder(s *Syndic) *forwarder { return &forwarder{s: s, now: make(chan struct{}, 1)} }

// flush makes all senders send at once what is owed.
func (f *forwarder) flush() { ring(f.now) }

// shift tells that a parent came or went, or asked for a job that is here: rows may
// have got another owner.
func (f *forwarder) shift() {
	f.shifts.Add(1)
	f.flush()
}

// run sends syndic_event_forward_timeout after the first return, or at once when
// a batch is full, a job is complete, or a parent is back.
func (f *forwarder) run(ctx context.Context) {
	f.forget(ctx)
	gather := time.NewTimer(0) // what an earlier life has left
	defer gather.Stop()
	first := forwarding.Gather{Rows: f.s.bounds.ForwardRows}
	first.Grown(0)
	// Those that do not come within that time are gone from then on.
	gone := time.AfterFunc(f.s.parents.after+time.Millisecond, f.shift)
	defer gone.Stop()
	sweep := time.NewTicker(f.s.pace.sweep)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			for _, l := range f.s.parents.all() {
				ring(l.returns.sweeps)
				ring(l.events.teller.sweeps)
			}
			continue
		case <-f.s.local.Grown():
			arm, now := first.Grown(f.waiting())
			if arm {
				gather.Reset(f.s.cfg.Local.SyndicEventForwardTimeout)
			}
			if !now {
				continue
			}
		case <-gather.C:
			first.Due()
		case <-f.now:
		}
		for _, l := range f.s.parents.all() {
			l.returns.wake()
		}
	}
}

// waiting counts the rows that are in no window as yet.
func (f *forwarder) waiting() int64 {
	rows, _ := f.s.local.Outbox().OutboxSize(returners.DestAbove)
	for _, l := range f.s.parents.all() {
		rows -= l.returns.over.Held()
	}
	return rows
}

// forgetStep is how many rows of a master above that is none any more are dropped at
// a time.
const forgetStep = 1000

// forget drops what masters above are owed by name that this node has no more: others
// have had it.
func (f *forwarder) forget(ctx context.Context) {
	known := map[string]bool{returners.DestAbove: true}
	for _, l := range f.s.parents.all() {
		known[l.returns.dest] = true
	}
	for dest, rows := range f.s.local.Outbox().OutboxDests() {
		if returners.IsParent(dest) && !known[dest] {
			f.s.log.Warn("Returns are not kept for a master above that syndic_master does not name any more; another one has had them", "for", dest, "count", rows)
			f.drop(ctx, dest)
		}
	}
}

// drop forgets a destination.
func (f *forwarder) drop(ctx context.Context, dest string) {
	for {
		n, err := f.s.local.Outbox().OutboxForget(ctx, dest, forgetStep)
		if err != nil && ctx.Err() == nil {
			f.s.log.Error("What a former master above was owed could not be removed from the outbox", "for", dest, "err", err)
		}
		if err != nil || n == 0 {
			return
		}
	}
}
