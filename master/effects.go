package master

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// do carries one effect out. It does not wait.
func (m *Master) do(e engine.Effect) {
	switch e := e.(type) {
	case engine.SendReport:
		m.tell(e)
	case engine.NewReturn:
		m.returned(e.Return)
	case engine.Started:
		m.publisher.Started(e)
	case engine.Publish:
		m.publisher.Publish(e)
	case engine.Skip:
		m.publisher.Skip(e)
	case engine.Missed:
		m.publications.QueueAway(e.JID, e.Minions, e.Nodes)
	case engine.FindJob:
		m.peers.Find(e.JID, e.IDs)
	case engine.Rescued:
		m.rescues.Found("question to a connected minion", "a minion that had not returned: "+e.Reason, e.Since, "jid", e.JID, "minion", e.ID)
	case engine.Complete:
		m.completed(e.Account)
	case engine.Ended:
		m.publications.Over(e.JID)
	case engine.EndNotStored:
		m.unended(e)
	}
}

// tell gives a word to the bus, and so to the forwarder; that of a node also under the
// node's name, as Salt does.
func (m *Master) tell(t engine.SendReport) {
	tag, data := t.Word.Encode()
	origin, _, _ := strings.Cut(t.From, "/")
	m.fireEvent(bus.Event{Tag: tag, Data: data, Value: t.Word, Stamp: m.now(), Origin: origin})
	if origin != "" {
		m.fireEvent(bus.Event{Tag: "syndic/" + origin + "/" + tag, Data: data, Stamp: m.now(), Origin: origin, Copy: true})
	}
}

// returned tells of a return that is stored and was not before. Of a digest the event
// is that of the node that has the result.
func (m *Master) returned(r *returners.Return) {
	m.stats.Returns.Add(1)
	m.traces.Returned(r.JID, r.At)
	m.reactor.Returned(r.JID, r.ID)
	if size, digest := wire.Digest(r.Full); !digest || size >= 0 {
		m.showReturn(r)
		m.fireRaw(jobevent.TagReturn(r.JID, r.ID), r.Full, r.Via)
	}
	m.publications.QueueAnswered(r.JID, r.ID)
}

// completed ends a job: the command that waits for it ends with this event.
func (m *Master) completed(a engine.Account) {
	c := a.Complete()
	tag, data := c.Encode()
	m.fireEvent(bus.Event{Tag: tag, Data: data, Value: c, Stamp: m.now()})
	m.stats.Completed.Add(1)
	m.traces.Closed(a.JID, m.now())
	if m.tracer.On() {
		m.recordJob(a)
	}
}

// recordJob makes the span of a whole job, whose end is known only now.
func (m *Master) recordJob(a engine.Account) {
	var err error
	if len(a.Missing) > 0 {
		err = fmt.Errorf("%d minions did not return", len(a.Missing))
	}
	m.tracer.Record(m.traces.Context(m.ctx, a.JID), "salt.job", a.Opened, m.now(), err,
		attribute.String("salt.jid", a.JID), attribute.String("salt.fun", a.Fun), attribute.Int("salt.expected", a.Expected),
		attribute.Int("salt.returned", a.Returned), attribute.Int("salt.failed", a.Failed), attribute.Int("salt.missing", len(a.Missing)))
}

// unended has a closed job ended anew whose words were let go while a disk took none.
func (m *Master) unended(e engine.EndNotStored) {
	if !e.Again {
		m.log.Error("closed job not recorded as closed", "jid", e.JID, "err", e.Err)
		return
	}
	m.wg.Go(func() {
		defer m.publisher.Alone(e.JID)()
		if err := m.restore.Again(m.ctx, e.JID); err != nil {
			m.log.Error("closed job not recorded as closed", "jid", e.JID, "err", err)
		}
	})
}

// fire puts an event of this master on the bus.
func (m *Master) fire(tag string, data *wire.Map) {
	if err := m.bus.Fire(tag, data); err != nil {
		m.log.Error("event not fired", "tag", tag, "err", err)
	}
}

func (m *Master) fireRaw(tag string, data wire.Raw, origin string) {
	m.fireEvent(bus.Event{Tag: tag, Data: data, Stamp: m.now(), Origin: origin})
}

func (m *Master) fireEvent(e bus.Event) {
	if err := m.bus.FireEvent(e); err != nil {
		m.log.Error("event not fired", "tag", e.Tag, "err", err)
	}
}
