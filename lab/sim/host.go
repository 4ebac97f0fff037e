package sim

import (
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/topology"
)

// greetGuest handles the announcement of a minion of a sibling: master.peerUp.
func (n *node) greetGuest(v *visit, running map[string]bool) {
	m := v.m
	v.known = true
	n.tree.SetMinion(topology.Minion{ID: m.id(), State: topology.Up})
	n.came(m.id(), running)
	n.adopt(m, running)
	for _, j := range n.pubs { // jobs that expect it and that it has missed
		if !running[j.jid] && j.wants(m.n.lo+int(m.i)) && (n.engine.Expects(j.jid, m.id()) || n.wants(j, m.id())) {
			n.do(giveAgain, func() { n.engine.Redelivered(j.jid, m.id()) })
			n.giveGuest(v, j, 0)
		}
	}
	n.runEffects()
}

// came handles the announcement of a minion of mom.
func (n *node) came(id string, running map[string]bool) {
	delete(n.brought, id)
	if len(running) > 0 {
		n.brought[id] = running
	}
	n.do(minionCame, func() { n.engine.MinionUp(id, running) })
}

// loseGuest handles the end of a guest's connection.
func (n *node) loseGuest(v *visit) {
	if !n.alive {
		return
	}
	n.tree.RemoveMinion(v.m.id())
	n.do(minionLeft, func() { n.engine.MinionDown(v.m.id(), 0) })
	n.runEffects()
}

// adopt makes the node expect the answers of a minion that arrived while running jobs.
func (n *node) adopt(m *minion, running map[string]bool) {
	if n.w.o.sabotage.adoptNothing {
		return
	}
	for _, jid := range sortedKeys(running) {
		n.w.reach(markMovedAtWork)
		n.do(adoptJob, func() { n.must(n.engine.Adopt(background, jid, m.id())) })
	}
}

// oweMoved records all parents as requesting a job if a minion arrived while running it and no
// parent requested it from this node. Compare syndic's oweMoved.
func (n *node) oweMoved(x jobevent.Expectation) {
	if len(n.ups) < 2 || !x.Moved || len(n.origins[x.JID]) > 0 {
		return
	}
	n.origins[x.JID] = slices.Clone(n.ups)
}

// giveGuest delivers a publication to a visiting minion.
func (n *node) giveGuest(v *visit, j *job, wait int64) {
	n.count(down, n.w.publicationBytes(j))
	stay := v.stay
	n.after(wait+n.w.o.Leaf.draw(n.w.rng), func() {
		if v.here && v.host == n && v.stay == stay {
			v.m.take(j, stay)
		}
	})
}

// counted lists the connected guests that a job expects here.
// master.absentGuest leaves out the others.
func (n *node) counted(j *job) []*minion {
	var out []*minion
	for _, v := range n.guests {
		if m := v.m; v.known && j.wants(m.n.lo+int(m.i)) {
			out = append(out, m)
		}
	}
	return out
}

// present returns the minion with that id if it is connected here, or nil.
func (n *node) present(id string) *minion {
	if g, ok := slices.BinarySearch(n.w.ids, id); ok && g >= n.lo && g < n.lo+len(n.minions) {
		if m := &n.minions[g-n.lo]; m.connected {
			return m
		}
		return nil
	}
	for _, v := range n.guests {
		if v.here && v.m.id() == id {
			return v.m
		}
	}
	return nil
}

// keepAcknowledged records for Check that a node acknowledged a return.
func (w *World) keepAcknowledged(n *node, m *minion, j *job) {
	if !w.o.moves() {
		return
	}
	of := w.acked[m]
	if of == nil {
		of = map[*job][]*node{}
		w.acked[m] = of
	}
	if !slices.Contains(of[j], n) {
		of[j] = append(of[j], n)
	}
}
