package master

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
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

// missedJobs names what a peer is going to fetch, and the head of the
// publications as of that moment.
func (m *Master) missedJobs(l listener) (jids []string, head int64) {
	head = m.kept.Head()
	m.missed(l, func(_ int64, r retention.Record) bool {
		jids = append(jids, r.JID)
		return true
	})
	return jids, head
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
