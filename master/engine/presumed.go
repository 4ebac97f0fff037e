package engine

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// A Python syndic does not report that it matches no minion, and may be slow. Minions known behind
// it do not become [Unknown] after syndic_wait: those that the target names are pending as in
// Salt, those of a pattern are reported as missing.

// presume adds the named minions that are known behind a Python syndic.
func (l *ledger) presume(j *job, minions map[string]string, now time.Time) {
	for id, path := range minions {
		if j.entries[id] != nil {
			continue
		}
		e := &entry{path: path, live: Untracked, presumed: true}
		j.add(id, e)
		l.due(j, e, now.Add(j.Timeout))
	}
}

// unpresume removes presumed minions, and those missing because the node was silent, once the node
// sends its expectation without them.
func (j *job) unpresume(x Expectation) {
	if len(j.entries) == 0 || !slices.ContainsFunc(j.Nodes, func(n Node) bool { return n.ID == x.Path && n.Live == Untracked }) {
		return
	}
	for id, e := range j.entries {
		presumed := e.presumed && e.phase.pending() || e.phase == missing && e.reason == NodeNoResponse
		switch {
		case !presumed || e.path != x.Path || slices.Contains(x.Minions, id):
		case e.presumed && e.listed && e.phase.pending():
			*e = entry{phase: claimable}
			j.unclaimed = true
		default:
			j.leave(id, e)
		}
	}
}

// missUnspoken reports, once, the minions known behind Python syndics that sent nothing within
// syndic_wait.
func (l *ledger) missUnspoken(j *job, n *changes) {
	if j.unheard == 0 || j.unspoken {
		return
	}
	j.unspoken = true
	roots := map[string]string{}
	for path, nd := range j.nodes {
		if nd.state == jobevent.NodePlain && !nd.heard {
			roots[path] = NodeNoResponse
		}
	}
	l.missBehind(j, roots, n)
}
