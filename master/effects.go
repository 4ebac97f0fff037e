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

// do carries out one effect. It does not block.
func (m *Master) do(e engine.Effect) {
	switch e := e.(type) {
	case engine.SendReport:
		m.sendReport(e)
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
	case engine.TakeOver:
		m.wg.Go(func() {
			if err := m.publisher.TakeOver(e); err != nil {
				m.failing("job of another top not published", err, "jid", e.JID)
			}
		})
	case engine.Complete:
		m.completed(e.Account)
	case engine.Ended:
		m.publications.Over(e.JID)
	case engine.EndNotStored:
		m.endAgain(e)
	}
}

// sendReport fires a report on the bus, which the forwarder reads. A node's report is also fired
// under the node's name, as in Salt.
func (m *Master) sendReport(t engine.SendReport) {
	tag, data := t.Word.Encode()
	origin, _, _ := strings.Cut(t.From, "/")
	m.fireEvent(bus.Event{Tag: tag, Data: data, Value: t.Word, Stamp: m.now(), Origin: origin})
	if origin != "" {
		m.fireEvent(bus.Event{Tag: "syndic/" + origin + "/" + tag, Data: data, Stamp: m.now(), Origin: origin, Copy: true})
	}
}

// returned publishes a return stored for the first time. If it is a digest, the node that has the
// result fires the event.
func (m *Master) returned(r *returners.Return) {
	m.stats.Returns.Add(1)
	m.traces.Returned(r.JID, r.At)
	m.causes.Returned(r.JID, r.ID)
	if size, digest := wire.Digest(r.Full); !digest || size >= 0 {
		m.jobWriter.Return(r)
		m.fireRaw(jobevent.TagReturn(r.JID, r.ID), r.Full, r.Via)
	}
	m.publications.QueueAnswered(r.JID, r.ID)
}

// completed fires the event that ends a job and the command that waits for it.
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

// recordJob records the span of a job, at its end.
func (m *Master) recordJob(a engine.Account) {
	var err error
	if len(a.Missing) > 0 {
		err = fmt.Errorf("%d minions did not return", len(a.Missing))
	}
	m.tracer.Record(m.traces.Context(m.ctx, a.JID), "salt.job", a.Opened, m.now(), err,
		attribute.String("salt.jid", a.JID), attribute.String("salt.fun", a.Fun), attribute.Int("salt.expected", a.Expected),
		attribute.Int("salt.returned", a.Returned), attribute.Int("salt.failed", a.Failed), attribute.Int("salt.missing", len(a.Missing)))
}

// endAgain stores the end of a closed job again after records were dropped.
func (m *Master) endAgain(e engine.EndNotStored) {
	if !e.Again {
		m.log.Error("closed job not recorded as closed", "jid", e.JID, "err", e.Err)
		return
	}
	m.wg.Go(func() {
		defer m.publisher.LockJID(e.JID)()
		if err := m.restore.Again(m.ctx, e.JID); err != nil {
			m.log.Error("closed job not recorded as closed", "jid", e.JID, "err", err)
		}
	})
}

// fire fires an event of this master.
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
