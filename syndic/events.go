package syndic

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

// listenQueue is how many events may wait on the local bus.
const listenQueue = 10000

// listen carries the local bus to the masters above until ctx ends.
func (s *Syndic) listen(ctx context.Context) {
	for ctx.Err() == nil {
		sub := s.local.Bus().Subscribe(bus.SubscribeOptions{
			Size: listenQueue, Match: func(tag string) bool { return complete(tag) || closed(tag) || !staysHere(tag) },
		})
		s.hear(ctx, sub)
		lost := sub.Lost()
		sub.Close()
		if ctx.Err() != nil {
			return
		}
		if lost {
			s.log.Error("The forwarder was too slow for the local event bus; events were lost")
		}
		if sleep.For(ctx, s.pace.retryMin) != nil {
			return
		}
		// Who has to answer must not get lost with them.
		for _, l := range s.parents.all() {
			l.retell(true)
		}
		s.returns.flush()
	}
}

func (s *Syndic) hear(ctx context.Context, sub *bus.Subscription) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C():
			switch {
			case !ok:
				return
			case complete(e.Tag):
				s.returns.flush()
			case closed(e.Tag):
				if _, ok := readClosed(e); ok && !e.Copy {
					s.tell(ctx, e)
				}
			case s.belongsAbove(e):
				s.oweMoved(ctx, e)
				s.tell(ctx, e)
			}
		}
	}
}

// tell hands an event to every master above, as Salt does. But who has to answer a
// job, and who will not, is for those that asked: another one may have given the
// node up for a job of the same jid, and would wait for returns that it is not owed.
func (s *Syndic) tell(ctx context.Context, e bus.Event) {
	home := s.parents.links[0].isUp()
	for _, l := range s.parents.all() {
		if l.guest && home && !urgent(e.Tag) {
			continue // it goes home, and comes to the top from there
		}
		if speaksOfJob(e.Tag) && !l.concerns(e) {
			if !l.guest || home {
				continue
			}
			// A sibling is the only way to the top now. It waits for whom it hears of.
			_, second := s.parents.learn(ctx, l, jobOf(e.Tag), "")
			s.parents.keep(ctx, jobOf(e.Tag), l)
			if second {
				l.returns.again(jobOf(e.Tag))
			}
		}
		l.events.push(e)
	}
}

// staysHere names what never goes up as an event: returns travel through the
// outbox, copies under a node's name would double at each tier, the end of a job
// at this node is not the end of the job, `key` is between the parts of one
// master, and what a master was asked for is that master's own audit.
func staysHere(tag string) bool {
	switch kindOf(tag) {
	case jobevent.KindReturn, jobevent.KindComplete, jobevent.KindClosed:
		return true
	}
	return tag == "key" || strings.HasPrefix(tag, "mom/audit") || strings.HasPrefix(tag, "syndic/")
}

// belongsAbove also applies Salt's rules: nothing that has a retcode, and in the
// mode cluster only what tells who has to answer.
func (s *Syndic) belongsAbove(e bus.Event) bool {
	switch {
	case e.Copy || staysHere(e.Tag):
		return false
	case urgent(e.Tag):
		return true
	}
	return s.cfg.Local.SyndicMode != "cluster" && wanted(s.cfg.Local, e.Tag) && !hasRetcode(e.Data)
}

// urgent events are the ones a waiting command needs: who has to answer, and
// who will not; and the end of these of a job, which stays here.
func urgent(tag string) bool {
	switch kindOf(tag) {
	case jobevent.KindExpectation, jobevent.KindMissing, jobevent.KindNew, jobevent.KindClosed:
		return true
	}
	return false
}

// speaksOfJob tells whether an event names those who have to answer a job, or who
// will not.
func speaksOfJob(tag string) bool {
	kind := kindOf(tag)
	return kind == jobevent.KindExpectation || kind == jobevent.KindMissing
}

func complete(tag string) bool { return kindOf(tag) == jobevent.KindComplete }

func kindOf(tag string) jobevent.Kind {
	_, kind, _, _ := jobevent.Parse(tag)
	return kind
}

// jobOf is the job that an event speaks of.
func jobOf(tag string) string {
	id, _, _, _ := jobevent.Parse(tag)
	return id
}

var errFound = errors.New("found")

func hasRetcode(data wire.Raw) bool {
	err := wire.Fields(data, func(key string, _ wire.Raw) error {
		if key == "retcode" {
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}

// emptyExpectation tells a parent that nobody here has to answer.
func emptyExpectation(jid string) bus.Event {
	return eventOf(jobevent.Expectation{JID: jid, Ours: true})
}

// refusedHere tells a parent that this node could not start the job, and why.
func refusedHere(jid string, why error) bus.Event {
	return eventOf(jobevent.Missing{JID: jid, Nodes: map[string]jobevent.NodeState{"": jobevent.Refused(why.Error())}})
}

func eventOf(w jobevent.Word) bus.Event {
	tag, data := w.Encode()
	return bus.Event{Tag: tag, Data: data, Stamp: time.Now()}
}
