package syndic

import (
	"context"
	"log/slog"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/link"
)

// listenQueue bounds the events waiting on the local bus.
const listenQueue = 10000

// listener forwards events of the local bus to the parents.
type listener struct {
	conf    *config.Master
	bus     *bus.Bus
	parents *parents
	flush   func() // sends pending returns at once
	pace    *link.Pace
	log     *slog.Logger
}

func (l *listener) run(ctx context.Context) {
	for ctx.Err() == nil {
		sub := l.bus.Subscribe(bus.SubscribeOptions{
			Size: listenQueue, Match: func(e bus.Event) bool { return e.Value != nil || !events.StaysLocal(e.Tag) },
		})
		l.hear(ctx, sub)
		lost := sub.Lost()
		sub.Close()
		if ctx.Err() != nil {
			return
		}
		if lost {
			l.log.Error("forwarder fell behind the event bus, events lost")
		}
		if timing.Sleep(ctx, l.pace.RetryMin) != nil {
			return
		}
		// Expectations must not be lost with them.
		for _, p := range l.parents.all() {
			p.events.ReportAgain(true)
		}
		l.flush()
	}
}

func (l *listener) hear(ctx context.Context, sub *bus.Subscription) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C():
			if !ok {
				return
			}
			switch v := e.Value.(type) {
			case jobevent.Complete:
				l.flush()
				continue
			case jobevent.Closed:
				l.forward(ctx, e)
				continue
			case jobevent.Expectation:
				l.parents.requestMoved(ctx, v)
			}
			if events.GoesUp(l.conf, e) {
				l.forward(ctx, e)
			}
		}
	}
}

// forward queues an event for every parent, as Salt does, with one exception: expectations and
// missing minions go only to the parents that requested the job. Another parent may have given up
// on this node for a job of the same jid, and would wait for returns it never gets.
func (l *listener) forward(ctx context.Context, e bus.Event) {
	home := l.parents.links[0].IsUp()
	for _, p := range l.parents.all() {
		if p.sibling && home && !events.Urgent(e.Tag) {
			continue // the parent forwards it to the top
		}
		if events.IsReport(e.Tag) && !l.parents.origins.Concerns(p.ch.Addr(), events.JobOf(e.Tag)) {
			if !p.sibling || home {
				continue
			}
			// The sibling is the only way to the top, and waits for the minions that the event names.
			_, second := l.parents.learn(ctx, p, events.JobOf(e.Tag), "")
			l.parents.saveRequests(ctx, events.JobOf(e.Tag), p)
			if second {
				p.returns.BackfillSoon(events.JobOf(e.Tag))
			}
		}
		p.events.Push(e)
	}
}
