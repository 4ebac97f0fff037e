package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// Hostile counts the attacks of accepted peers and the replays of messages. None may do harm:
// what is refused leaves no trace in accounts and rows, and replays change nothing.
type Hostile struct {
	// Forgers are minions that return in the name of another minion.
	Forgers int
	// Turncoats are minions that use their key as a node.
	Turncoats int
	// Usurpers are nodes that speak for minions of other nodes: those of the parent, which
	// they report as their own, and those of siblings.
	Usurpers int
	// Replays are publications repeated to minions and nodes, and returns repeated with
	// another result.
	Replays int
	// Floods are returns sent many times at once, and returns to jobs that were never
	// published.
	Floods int
}

func (h Hostile) any() bool { return h != Hostile{} }

// draw draws how often each attack happens.
func (h *Hostile) draw(r *rand.Rand) {
	some := func() int { return int(pick(r, 0, 1, 3)) }
	*h = Hostile{Forgers: some(), Turncoats: some(), Usurpers: some(), Replays: some(), Floods: some()}
}

// copies is the highest number of copies of a return in a flood.
const copies = 40

// planHostiles schedules the attacks. They draw from a stream of their own.
func (w *World) planHostiles() {
	h := w.o.Faults.Hostile
	if !h.any() {
		return
	}
	w.evil = w.o.stream(0x686f7374)
	for _, x := range []struct {
		times int
		do    func()
	}{{h.Forgers, w.forge}, {h.Turncoats, w.turnCoat}, {h.Usurpers, w.usurp}, {h.Replays, w.replay}, {h.Floods, w.flood}} {
		for range x.times {
			w.after(w.evil.Int64N(int64(w.o.Faults.Within)+1), x.do)
		}
	}
}

// addInvented adds the jobs that are never published and that minions answer.
func (w *World) addInvented() error {
	for i := range w.o.Faults.Hostile.Floods {
		n := len(w.jobs)
		err := w.addJob(n, Job{Fun: "test.ping", At: -time.Duration(i+1) * time.Hour, invented: true})
		if err != nil {
			return err
		}
	}
	return nil
}

// forgedLoad returns a return that its minion never sent.
func (j *job) forgedLoad(id string) wire.Raw {
	raw, err := wire.Encode(wire.NewMap("cmd", "_return", "id", id, "success", true, "return", "forged", "retcode", 0, "jid", j.jid, "fun", j.Fun, "fun_args", []any{}))
	if err != nil {
		panic(err) // constants encode
	}
	return raw
}

// rowsOf returns the row of a minion's return.
func (n *node) rowsOf(ret wire.Return) []returners.Return {
	return []returners.Return{intake.RowOf(ret, n.wall())}
}

// anyMinion draws a connected minion and a job that its node has published. It returns false if
// the drawn minion is not connected or its node has no job.
func (w *World) anyMinion() (m *minion, j *job, ok bool) {
	m = w.minion(w.evil.IntN(len(w.ids)))
	if !m.n.alive || !m.connected || len(m.n.pubs) == 0 {
		return nil, nil, false
	}
	return m, m.n.pubs[w.evil.IntN(len(m.n.pubs))].root(), true
}

// soon runs a hostile act after the latency of a minion.
func (w *World) soon(n *node, do func()) {
	n.after(int64(time.Millisecond)+w.evil.Int64N(int64(time.Millisecond)), func() {
		do()
		n.runEffects()
	})
}

func (w *World) forge() {
	m, j, ok := w.anyMinion()
	if !ok {
		return
	}
	victim := w.ids[w.evil.IntN(len(w.ids))]
	if victim == m.id() {
		return
	}
	w.soon(m.n, func() { m.n.takeFrom(m.id(), j.forgedLoad(victim)) })
}

// forgedBatch returns a request with forged returns as a node sends it.
func (j *job) forgedBatch(via string, ids []string) wire.Raw {
	ret := wire.NewMap()
	for _, id := range ids {
		ret.Set(id, wire.NewMap("return", "forged", "retcode", 0, "success", true))
	}
	raw, err := wire.Encode(wire.NewMap("cmd", "_syndic_return", "load", []any{
		wire.NewMap("id", via, "jid", j.jid, "fun", j.Fun, "load", wire.NewMap(), "return", ret),
	}))
	if err != nil {
		panic(err) // constants encode
	}
	return raw
}

// turnCoat makes a minion send returns of others, as a node does.
func (w *World) turnCoat() {
	m, j, ok := w.anyMinion()
	if !ok || m.n.guard == nil || m.n.guard.Of(m.id()) == "" { // its role is still open
		return
	}
	ids := []string{w.ids[w.evil.IntN(len(w.ids))], w.ids[w.evil.IntN(len(w.ids))]}
	w.soon(m.n, func() {
		if _, err := m.n.onSyndicReturn(m.id(), j.forgedBatch(m.id(), ids)); err != nil {
			w.reach(markTurncoat)
		}
	})
}

// usurp makes a node speak for minions of other nodes: in its tree report, in job reports, and in
// returns.
func (w *World) usurp() {
	if len(w.links) == 0 {
		return
	}
	l := w.links[w.evil.IntN(len(w.links))]
	c, p := l.child, l.parent
	if p.guard == nil || !c.alive || !p.alive || !l.seen || !l.greeted || len(p.pubs) == 0 {
		return
	}
	j := p.pubs[w.evil.IntN(len(p.pubs))]
	w.soon(p, func() {
		ids := slices.DeleteFunc(slices.Clone(w.ids), func(string) bool { return w.evil.IntN(3) > 0 })
		ids = slices.DeleteFunc(ids, func(id string) bool { return !p.protects(id, c) })
		if len(ids) == 0 || !l.seen {
			return
		}
		w.reach(markUsurped)
		w.trace(c, "speaks for minions of other nodes: %v", ids)
		tree := l.report()
		for _, id := range ids {
			if p.own(id) != nil {
				tree.Minions = append(tree.Minions, topology.Minion{ID: id, State: topology.Up})
			}
		}
		p.claim(tree)
		p.receiveReports(l, []jobevent.Word{
			jobevent.Expectation{JID: j.jid, Ours: true, Partial: true, Minions: ids, Unreachable: map[string]string{}},
			jobevent.Missing{JID: j.jid, Minions: absent(ids)},
		})
		if _, err := p.onSyndicReturn(c.id, j.forgedBatch(c.id, ids)); err != nil {
			w.trace(p, "refuses forged returns: %v", err)
		}
	})
}

// reasonForged is a reason that no real report has.
const reasonForged = "forged"

func absent(ids []string) map[string]jobevent.Absence {
	out := map[string]jobevent.Absence{}
	for _, id := range ids {
		out[id] = jobevent.Absence{Reason: reasonForged}
	}
	return out
}

// protects reports whether a minion is known to be connected to the node itself, or to a child other
// than c: c does not speak for it then.
func (n *node) protects(id string, c *node) bool {
	if m := n.own(id); m != nil {
		return m.connected && m.tracked()
	}
	if n.guard.claims.Has(c.id, id) {
		return false // reported by both
	}
	other, ok := n.guard.claims.Elsewhere(id, n.guard.Up)
	return ok && other != c.id
}

// replay repeats a return of a minion with another result, or a publication.
func (w *World) replay() {
	if w.evil.IntN(2) == 0 && len(w.links) > 0 {
		l := w.links[w.evil.IntN(len(w.links))]
		if !l.standing || !l.child.alive || !l.parent.alive || l.heard == 0 {
			return
		}
		serial := 1 + w.evil.IntN(l.heard)
		if j := l.parent.pubs[serial-1]; slices.Contains(l.child.pubs, j) {
			w.soon(l.child, func() {
				w.reach(markReplayedDown)
				l.take(j, serial)
			})
		}
		return
	}
	m, j, ok := w.anyMinion()
	if !ok || !j.meant(m.n.lo+int(m.i)) || *m.work(j) == idle {
		return
	}
	w.soon(m.n, func() {
		m.take(j, w.homeStay[m])
		if *m.work(j) == answered {
			w.reach(markReplayed)
			m.n.takeFrom(m.id(), j.forgedLoad(m.id()))
		}
	})
}

// flood sends a return many times, and a return to a job that was never published.
func (w *World) flood() {
	m, j, ok := w.anyMinion()
	if !ok {
		return
	}
	if s := *m.work(j); s == owing || s == answered {
		for range 1 + w.evil.IntN(copies) {
			w.soon(m.n, func() { m.n.arrived(m, j) })
		}
		w.reach(markFlood)
	}
	for _, x := range w.jobs {
		if x.invented && *m.work(x) == idle && m.kind() != silent {
			w.reach(markInvented)
			*m.work(x) = owing
			x.setRan(m.n.lo + int(m.i))
			m.send(x)
			return
		}
	}
}
