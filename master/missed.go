package master

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/server"
)

// listenerOf reads how far a peer has heard. ok is false for one that does not
// say so: it fetches nothing.
func listenerOf(id string, d *wire.Map) (l listener, ok bool) {
	v, _ := d.Get("heard")
	l = listener{id: id, running: map[string]bool{}}
	if l.epoch, l.seq, ok = channel.ReadHeard(v); !ok {
		return l, false
	}
	for _, jid := range wire.Texts(d.List("running")) {
		l.running[jid] = true
	}
	return l, true
}

// missedJobs names what a peer that announces itself is going to fetch, and gives what it
// has to know for that: the head of the publications as of that moment.
func (m *Master) missedJobs(id string, announced *wire.Map) (jids []string, know *wire.Map) {
	l, ok := listenerOf(id, announced)
	if !ok {
		return nil, nil
	}
	know = wire.NewMap("epoch", m.kept.Epoch(), "head", m.kept.Head())
	m.missed(l, func(_ int64, r retention.Record) bool {
		jids = append(jids, r.JID)
		return true
	})
	know.Set("missed", len(jids))
	return jids, know
}

// heard is how far publications have gone by now.
func (m *Master) heard() presence.Before {
	return presence.Before{Number: m.kept.Head(), Position: m.diary.Position()}
}

func init() {
	own.Register(server.Command{
		Name: "_missed", Who: server.Proven,
		Args: []string{"heard", "running"},
		Doc: `
A peer fetches publications that it did not hear, some at a time; our own addition.

heard
    The epoch and number of the last one that it has.
running
    The jobs that it works on: those it is not given.
`,
	}, func(m *Master) server.Handler { return m.onMissed })
}

// onMissed serves `_missed`, our own addition: a peer fetches the publications
// that it did not hear, some at a time (bounds missed_rows and missed_bytes).
func (m *Master) onMissed(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("missed publications of %s: %w", r.ID, err)
	}
	l, ok := listenerOf(r.ID, d)
	if !ok {
		return nil, fmt.Errorf("missed publications of %s: heard is not an epoch and a number", r.ID)
	}
	head, more, bytes := m.kept.Head(), false, 0
	pubs := []any{}
	last := int64(0)
	var failed error
	m.missed(l, func(seq int64, rec retention.Record) bool {
		if len(pubs) >= m.cfg.Bounds.MissedRows || bytes >= m.cfg.Bounds.MissedBytes {
			more = true
			return false
		}
		body, err := m.resealed(rec)
		if err != nil {
			failed = err
			return false
		}
		pubs, bytes, last = append(pubs, body), bytes+len(body), seq
		m.jobs.Given(rec.JID, l.id)
		m.kept.Given(rec.JID, l.id)
		m.log.Info("A publication was missed and is given again", "jid", rec.JID, "id", l.id)
		return true
	})
	if failed != nil {
		return nil, failed
	}
	if more {
		head = last
	}
	m.stats.Missed.Add(uint64(len(pubs)))
	return wire.NewMap("epoch", m.kept.Epoch(), "head", head, "more", more, "pubs", pubs), nil
}

// giveMissed gives a stock minion, on a connection that has just said that it is its
// own, the open jobs which it owes and did not hear over it, once more if need be: it
// passes over a jid that it has seen since its start. It is not given what it may have
// run before a restart of its own.
func (m *Master) giveMissed(conn uint64, id string, before presence.Before) {
	m.kept.Since("", 0, func(seq int64, rec retention.Record) bool {
		if seq > before.Number {
			return false
		}
		owes, queued := m.jobs.Owes(rec.JID, id), m.kept.Wants(rec.JID, id)
		switch {
		case !owes && !queued:
			return true
		case m.jobs.Unheard(rec.JID, id), m.diary.MayRepeat(rec.JID, id, before.Position):
		default:
			return true
		}
		body, err := m.resealed(rec)
		if err == nil {
			err = m.handPeer(conn, body)
		}
		if err != nil {
			m.log.Warn("A job could not be given to a minion that is back", "jid", rec.JID, "id", id, "err", err)
			return true
		}
		m.jobs.GivenStock(rec.JID, id)
		m.kept.Given(rec.JID, id)
		m.stats.Missed.Add(1)
		m.log.Info("A publication was missed and is given again", "jid", rec.JID, "id", id)
		return true
	})
}
