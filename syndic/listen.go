package syndic

import (
	"context"
	"log/slog"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/pace"
)

// listenQueue is how many events may wait on the local bus.
const listenQueue = 10000

// listener carries the local bus to the masters above.
type listener struct {
	conf    *config.Master
	bus     *bus.Bus
	parents *parents
	flush   func() // send at once what is owed
	pace    *pace.Pace
	log     *slog.Logger
}

// run listens until ctx ends.
func (l *listener) run(ctx context.Context) {
	for ctx.Err() == nil {
		sub := l.bus.Subscribe(bus.SubscribeOptions{
			Size: listenQueue, Match: func(e bus.Event) bool { return e.Value != nil || !events.StaysHere(e.Tag) },
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
		if sleep.For(ctx, l.pace.RetryMin) != nil {
			return
		}
		// Who has to answer must not get lost with them.
		for _, p := range l.parents.all() {
			p.events.Retell(true)
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
				l.tell(ctx, e)
				continue
			case jobevent.Expectation:
				l.parents.oweMoved(ctx, v)
			}
			if events.BelongsAbove(l.conf, e) {
				l.tell(ctx, e)
			}
		}
	}
}

// tell hands an event to every master above, as Salt does. But who has to answer a
// job, and who will not, is for those that asked: another one may have given the
// node up for a job of the same jid, and would wait for returns that it is not owed.
func (l *listener) tell(ctx context.Context, e bus.Event) {
	home := l.parents.links[0].IsUp()
	for _, p := range l.parents.all() {
		if p.guest && home && !events.Urgent(e.Tag) {
			continue // it goes home, and comes to the top from there
		}
		if events.SpeaksOfJob(e.Tag) && !l.parents.origins.Concerns(p.ch.Addr(), events.JobOf(e.Tag)) {
			if !p.guest || home {
				continue
			}
			// A sibling is the only way to the top now. It waits for whom it hears of.
			_, second := l.parents.learn(ctx, p, events.JobOf(e.Tag), "")
			l.parents.keep(ctx, events.JobOf(e.Tag), p)
			if second {
				p.returns.Again(events.JobOf(e.Tag))
			}
		}
		p.events.Push(e)
	}
}
