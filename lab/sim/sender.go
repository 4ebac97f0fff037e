package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/returns"
)

// sending is the state of the sender to one parent during one life of a node. It does what syndic's
// sender does, with events in place of channels.
type sending struct {
	l    *link
	over *returns.Handover
	ctx  context.Context //nolint:containedctx // a life of the node
	end  context.CancelFunc

	flights []*coro
	pausing bool
	pauseNo int
	wakeNo  int
	backoff int64

	stuck   int64 // the row that waited at the last sweep without a request under way
	stuckAt int64
}

type coroKey struct{}

// send creates the sender for a life of the child.
func (l *link) send() {
	n := l.child
	s := &sending{l: l}
	s.ctx, s.end = context.WithCancel(background)
	s.over = returns.NewHandover(returns.HandoverOptions{
		Parent: s, Name: l.parent.id, Outbox: n.disk, Dests: []string{dest, l.dest}, Jobs: n.disk, ID: n.id, Remember: 1000,
		Bounds: l.w.o.Bounds, Log: l.w.log, Now: l.w.clock, Body: l.body,
	})
	l.sending, l.over = s, s.over
}

// halt cancels the requests under way.
func (s *sending) halt() {
	s.end()
	for _, c := range s.flights {
		c.stop()
	}
	s.flights = nil
}

// ring schedules the sender now, in an event of its own: the caller does not wait.
func (l *link) ring() {
	s := l.sending
	l.child.do(wakeSender, func() { l.child.after(0, s.depart) })
}

// depart sends the batches that are due.
func (s *sending) depart() {
	for !s.pausing && s.ctx.Err() == nil && s.IsUp() {
		f, err := s.over.Next(s.ctx)
		if err != nil {
			s.failed(err)
		}
		if f == nil {
			break
		}
		s.fly(f)
	}
	if at, ok := s.over.Due(); ok && !s.pausing && s.IsUp() {
		s.wakeNo++
		no := s.wakeNo
		s.l.child.after(max(at.Sub(s.l.w.clock()).Nanoseconds(), 0), func() {
			if s.wakeNo == no {
				s.depart()
			}
		})
	}
}

func (s *sending) fly(f *returns.Request) {
	var c *coro
	c = newCoro(func(*coro) {
		l := s.over.Send(context.WithValue(s.ctx, coroKey{}, c), f)
		if s.ctx.Err() != nil {
			return
		}
		s.flights = without(s.flights, c)
		if l.Taken {
			s.backoff, s.pausing = 0, false
		}
		if l.Err != nil {
			s.failed(l.Err)
		}
		s.l.child.after(0, s.depart)
	})
	s.flights = append(s.flights, c)
	c.resume()
}

func without(all []*coro, c *coro) (out []*coro) {
	for _, x := range all {
		if x != c {
			out = append(out, x)
		}
	}
	return out
}

// failed pauses before the next attempt. A parent that is back ends the pause.
func (s *sending) failed(err error) {
	if s.pausing || s.ctx.Err() != nil {
		return
	}
	s.backoff = min(max(2*s.backoff, 200e6), 10e9)
	s.l.w.trace(s.l.child, "cannot send returns to %s: %v", s.l.parent.id, err)
	s.pausing = true
	s.pauseNo++
	no := s.pauseNo
	s.l.child.after(s.backoff, func() {
		if s.pauseNo == no {
			s.resume()
		}
	})
}

// resume ends a pause.
func (s *sending) resume() {
	s.pausing = false
	s.pauseNo++
	s.depart()
}

// sweep counts rows that should have been sent without it: syndic's sender.sweep.
func (l *link) sweep() {
	s, w := l.sending, l.w
	found, err := s.over.Look(s.ctx)
	if err != nil {
		return
	}
	if found.Again {
		l.child.after(int64(returns.LookAgain), l.sweep)
	}
	if found.Rows > 0 {
		w.rescued(l.child, fmt.Sprintf("%d rows that were skipped, the first is %d", found.Rows, found.Passed.Seq), 0)
		l.ring()
	}
	was := s.stuck
	if s.stuck = found.Next.Seq; s.stuck == 0 || s.stuck != was {
		s.stuckAt = w.now
	} else if w.now-s.stuckAt > max(2*int64(w.o.Gather), int64(w.o.Bounds.ForwardSweep)/2) {
		w.rescued(l.child, fmt.Sprintf("row %d, which was not sent", s.stuck), time.Duration(w.now-s.stuckAt))
		l.ring()
	}
}

// rescued counts rows that the forwarding sweep has found.
func (w *World) rescued(n *node, what string, since time.Duration) {
	w.trace(n, "RESCUED: %s", what)
	w.rescues.Found("forwarding sweep", what, since, "node", n.id)
}

// IsUp reports whether the link is up. It and the methods below are the handover's view of a parent.
func (s *sending) IsUp() bool { return s.l.greeted && s.l.child.alive }

// IsResting is described at IsUp.
func (s *sending) IsResting() bool { return s.l.resting }

// Shifts is described at IsUp.
func (s *sending) Shifts() uint64 { return s.l.child.way.shifts }

// Concurrency returns the limit of a mom parent.
func (s *sending) Concurrency() (requests int, apart bool) {
	return s.l.w.o.Bounds.ForwardRequests, false
}

// SetResting is described at IsUp.
func (s *sending) SetResting(resting bool) {
	if s.l.resting != resting {
		s.l.change(func() { s.l.resting = resting })
	}
}

// Owns is described at IsUp.
func (s *sending) Owns(it returners.Item) bool {
	n := s.l.child
	return it.Dest != dest || n.way.sharing.Owns(n.ups, n.askers(it), s.l)
}

// Others is described at IsUp.
func (s *sending) Others(it returners.Item) (dests []string) {
	n := s.l.child
	if it.Dest != dest || n.w.o.sabotage.oneIsEnough {
		return nil
	}
	for _, o := range n.way.sharing.Others(n.ups, n.askers(it), s.l) {
		dests = append(dests, o.dest)
	}
	return dests
}

// Wake wakes the sender to another parent.
func (s *sending) Wake(dest string) {
	for _, l := range s.l.child.ups {
		if l.dest == dest {
			l.ring()
		}
	}
}

// Request encodes the load as it would travel, and parks until the answer arrives.
func (s *sending) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	l, c := s.l, ctx.Value(coroKey{}).(*coro)
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
	l.request(askReturns, int64(len(raw)), rows*int64(l.w.o.Costs.Hop), func(answer func(wire.Raw, error)) {
		answer(l.parent.onSyndicReturn(l.child.id, raw))
	}, func(v wire.Raw, e error) {
		answer, err, done = v, e, true
		c.resume()
	})
	for !done {
		if !c.park() {
			return nil, context.Canceled
		}
	}
	if err == nil {
		l.child.point("after an acknowledgement")
	}
	return answer, err
}
