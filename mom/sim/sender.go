package sim

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/handover"
)

// flush makes the sender send now, as when a job is complete.
func (l *link) flush() {
	l.kick = true
	l.child.after(0, func() { l.sender.resume() }) // in an event of its own: who rings does not wait
}

// grown tells that the outbox may hold more.
func (l *link) grown() {
	rows, _ := l.child.disk.OutboxSize(dest)
	l.child.stats.outbox = max(l.child.stats.outbox, rows)
	if rows == 0 {
		return
	}
	arm, now := l.gather.Grown(rows)
	if arm {
		l.child.after(int64(l.w.o.Gather), l.due)
	}
	if now {
		l.flush()
	}
}

func (l *link) due() {
	l.gather.Due()
	l.flush()
}

// send is what syndic's sender does, with parking in place of channels.
func (l *link) send(c *coro, over *handover.Sender, life uint32) {
	for {
		for !l.kick || !l.greeted {
			if !c.park() {
				return
			}
		}
		l.kick = false
		for l.greeted && l.child.life == life && l.child.alive {
			err := over.Turn(background)
			if c.dead {
				return
			}
			if err == nil {
				l.backoff = 0
				break
			}
			l.backoff = min(max(2*l.backoff, 200e6), 10e9)
			l.w.trace(l.child, "could not hand returns to %s: %v", l.parent.id, err)
			if !l.pause(c, l.backoff, errors.Is(err, handover.ErrLeft)) {
				return
			}
		}
	}
}

// pause parks the sender for d, until the parent is back, or for work.
func (l *link) pause(c *coro, d int64, work bool) bool {
	l.kick = false
	l.pauseNo++
	no, shifts, over := l.pauseNo, l.shifts, false
	l.child.after(d, func() {
		if l.pauseNo == no {
			over = true
			l.sender.resume()
		}
	})
	for !over && !(work && l.kick) && !(l.greeted && l.shifts != shifts) {
		if !c.park() {
			return false
		}
	}
	l.pauseNo++
	return true
}

// sending is a link as handover sees it.
type sending struct{ l *link }

func (s sending) IsUp() bool               { return s.l.greeted && s.l.child.alive }
func (s sending) IsResting() bool          { return s.l.resting }
func (s sending) SetResting(r bool)        { s.l.resting = r }
func (s sending) Owns(returners.Item) bool { return true }
func (s sending) Shifts() uint64           { return s.l.shifts }

// Request encodes the load as it would travel, and parks until the answer comes.
func (s sending) Request(_ context.Context, load *wire.Map) (wire.Raw, error) {
	l := s.l
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	rows := int64(0)
	if sr, err := wire.ParseSyndicReturn(raw); err == nil {
		for _, j := range sr.Loads {
			rows += int64(len(j.Returns))
		}
	}
	l.w.trace(l.child, "hands %d returns to %s", rows, l.parent.id)
	var answer wire.Raw
	done := false
	l.request(int64(len(raw)), rows*int64(l.w.o.Costs.Hop), func() (wire.Raw, error) {
		return l.parent.onSyndicReturn(raw)
	}, func(v wire.Raw, e error) {
		answer, err, done = v, e, true
		l.sender.resume()
	})
	for !done {
		if !l.sender.park() {
			return nil, context.Canceled
		}
	}
	if err == nil {
		l.child.point("after an acknowledgement")
	}
	return answer, err
}
