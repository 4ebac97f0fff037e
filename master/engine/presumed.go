package engine

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// A Python syndic does not say that it matches nobody, and may be slow. Who is known to be
// behind it is not "no such minion" when it has not spoken within syndic_wait: a minion that
// the target names is waited for as Salt waits for any minion, and who a pattern means is named.

// presume enters minions that the target names and that are known to be behind a Python
// syndic.
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

// unpresume drops those who were presumed behind a node, or named since it did not speak, when
// it says whom it means.
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

// missUnspoken names, once, those who are known behind Python syndics that have not spoken
// within syndic_wait.
func (l *ledger) missUnspoken(j *job, n *news) {
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
