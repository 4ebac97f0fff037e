package sim

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/handover"
)

// ring makes the sender send now.
func (l *link) ring() {
	l.kick = true
	l.child.after(0, func() { l.sender.resume() }) // in an event of its own: who rings does not wait
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
			if err == nil && !c.dead {
				err = l.giveAgain(over)
			}
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
	no, backs, over := l.pauseNo, l.backs, false
	l.child.after(d, func() {
		if l.pauseNo == no {
			over = true
			l.sender.resume()
		}
	})
	for !over && !(work && l.kick) && !(l.greeted && l.backs != backs) {
		if !c.park() {
			return false
		}
	}
	l.pauseNo++
	return true
}

// sending is a link as handover sees it.
type sending struct{ l *link }

func (s sending) IsUp() bool      { return s.l.greeted && s.l.child.alive }
func (s sending) IsResting() bool { return s.l.resting }
func (s sending) Shifts() uint64  { return s.l.child.way.shifts }

func (s sending) SetResting(resting bool) {
	if s.l.resting != resting {
		s.l.change(func() { s.l.resting = resting })
	}
}

func (s sending) Owns(it returners.Item) bool {
	n := s.l.child
	return n.way.sharing.Owns(n.ups, n.askers(it), s.l, it.Seq)
}

func (s sending) Given(it returners.Item) (keep bool) {
	n := s.l.child
	return n.way.sharing.Given(n.ups, n.askers(it), s.l, it.Seq) && !n.w.o.sabotage.oneIsEnough
}

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
