package syndic

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/syndic/handover"
)

// batchRows is how many returns one `_syndic_return` holds.
const batchRows = handover.BatchRows

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
	var first handover.Gather
	first.Grown(0)
	sweep := time.NewTicker(f.s.pace.sweep)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C: // rows that every sender took for another one's
			f.forgive(ctx)
			for _, l := range f.s.parents.all() {
				if l.isUp() && l.events.hasGap() {
					l.retell()
				}
			}
			if rows, _, err := f.s.local.Outbox().OutboxDepth(ctx, OutboxDest); err == nil && rows > 0 {
				f.shifts.Add(1)
			}
		case <-f.s.local.Grown():
			rows, _, err := f.s.local.Outbox().OutboxDepth(ctx, OutboxDest)
			if err != nil {
				rows = 0 // a sender that reads the outbox will tell of the error
			}
			arm, now := first.Grown(rows - f.s.parents.sharing.Owed()) // those wait for a parent that is away
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

// forgive removes what a parent that does not come back has been owed for too
// long; another one has it.
func (f *forwarder) forgive(ctx context.Context) {
	seqs := f.s.parents.sharing.Overdue()
	if len(seqs) == 0 {
		return
	}
	f.s.log.Warn("Returns that one master above has are not kept any longer for another that is away", "count", len(seqs))
	if err := f.s.local.Outbox().OutboxAck(ctx, OutboxDest, seqs); err != nil {
		f.s.log.Error("They could not be removed from the outbox", "err", err)
	}
}
