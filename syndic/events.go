package syndic

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
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
				if _, _, ok := readClosed(e); ok && !e.Copy {
					s.tell(e)
				}
			case s.belongsAbove(e):
				s.oweMoved(e)
				s.tell(e)
			}
		}
	}
}

// tell hands an event to every master above, as Salt does. But who has to answer a
// job, and who will not, is for those that asked: another one may have given the
// node up for a job of the same jid, and would wait for returns that it is not owed.
func (s *Syndic) tell(e bus.Event) {
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
			s.parents.learn(l, jobOf(e.Tag), "")
		}
		l.events.push(e)
	}
}

// staysHere names what never goes up as an event: returns travel through the
// outbox, copies under a node's name would double at each tier, the end of a job
// at this node is not the end of the job, and `key` is between the parts of one
// master.
func staysHere(tag string) bool {
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	return tag == "key" || closed(tag) || strings.HasPrefix(tag, "syndic/") || ok && strings.Contains(rest, "/ret/") || complete(tag)
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
	if jid.Valid(tag) {
		return true
	}
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	return ok && (strings.HasSuffix(rest, "/missing") || strings.HasSuffix(rest, "/new") || strings.HasSuffix(rest, "/closed"))
}

// speaksOfJob tells whether an event names those who have to answer a job, or who
// will not.
func speaksOfJob(tag string) bool {
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	return jid.Valid(tag) || ok && strings.HasSuffix(rest, "/missing")
}

func complete(tag string) bool {
	return strings.HasPrefix(tag, "salt/job/") && strings.HasSuffix(tag, "/complete")
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
	return event(jid, wire.NewMap("minions", []any{}, "jid", jid,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))
}

// refusedHere tells a parent that this node could not start the job, and why.
func refusedHere(jid string, why error) bus.Event {
	return event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "missing", wire.NewMap(),
		"nodes", wire.NewMap("", "refused: "+why.Error())))
}

func event(tag string, data *wire.Map) bus.Event {
	b, err := wire.Encode(data)
	if err != nil { // constants and a text always encode
		panic(err)
	}
	return bus.Event{Tag: tag, Data: b, Stamp: time.Now()}
}
