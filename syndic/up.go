package syndic

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// batchRows and batchBytes bound one `_syndic_return`.
	batchRows  = 500
	batchBytes = 4 << 20
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

// shift tells that a parent came or went: rows may have got another owner.
func (f *forwarder) shift() {
	f.shifts.Add(1)
	f.flush()
}

// run sends syndic_event_forward_timeout after the first return, or at once when
// a batch is full, a job is complete, or a parent is back.
func (f *forwarder) run(ctx context.Context) {
	gather := time.NewTimer(0) // what an earlier life has left
	defer gather.Stop()
	armed := true
	sweep := time.NewTicker(f.s.pace.sweep)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C: // rows that every sender took for another one's
			if rows, _, err := f.s.local.Outbox().OutboxDepth(ctx, OutboxDest); err == nil && rows > 0 {
				f.shifts.Add(1)
			}
		case <-f.s.local.Grown():
			if !armed {
				gather.Reset(f.s.cfg.Local.SyndicEventForwardTimeout)
				armed = true
			}
			rows, _, err := f.s.local.Outbox().OutboxDepth(ctx, OutboxDest)
			if err != nil || rows < batchRows {
				continue // a sender that reads the outbox will tell of the error
			}
		case <-gather.C:
			armed = false
		case <-f.now:
		}
		for _, l := range f.s.parents.links {
			ring(l.returns.kick)
		}
	}
}
