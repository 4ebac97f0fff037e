package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// A job grows when it is published again to further minions: a batch publishes every slice under
// one jid. The account stays one. Each publication is a part, and a node below must send an
// expectation for every part it received.

// holdOpen keeps a job from being closed or forgotten until one call of [ledger.growJob] or
// [ledger.letClose] per call of holdOpen. known is false for an unknown job.
func (l *ledger) holdOpen(jid string) (known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil {
		return false
	}
	j.growing++
	return true
}

// letClose undoes one [ledger.holdOpen] when the job was not extended.
func (l *ledger) letClose(jid string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || j.growing == 0 {
		l.mu.Unlock()
		return
	}
	j.growing--
	l.finish(j, changes{})
}

// growJob adds a publication to a job held by [ledger.holdOpen]. spec.Named, if not 0, is the
// total number of minions named so far. reopened reports that the job was closed.
func (l *ledger) growJob(spec Job) (known, reopened bool) {
	l.mu.Lock()
	j := l.jobs[spec.JID]
	if j == nil {
		l.mu.Unlock()
		return false, false
	}
	j.growing = max(j.growing-1, 0)
	now := l.cfg.Clock.Now()
	j.Named, j.Part, j.unspoken = spec.Named, max(j.Part, spec.Part), false
	j.learnNodes(spec.Nodes)
	var n changes
	if reopened = !j.closed.IsZero(); reopened {
		l.reopen(j)
	}
	l.openMinions(j, spec.Minions, now, &n)
	l.openNodes(j, spec.Nodes, spec.Part, now, &n)
	j.standBy(spec.StandBy, now)
	j.addUnclaimed(spec.Unclaimed)
	l.arm(j)
	l.finish(j, n)
	return true, reopened
}

// learnNodes merges the known minions of the nodes. Those of an earlier publication count until
// the node sends its expectation.
func (j *job) learnNodes(nodes []Node) {
	for _, nd := range nodes {
		i := slices.IndexFunc(j.Nodes, func(old Node) bool { return old.ID == nd.ID })
		if i < 0 {
			j.Nodes = append(j.Nodes, nd)
			continue
		}
		old, e := j.Nodes[i].Known, j.nodes[nd.ID]
		if old != nil && nd.Known != nil && e != nil && e.state != jobevent.NodeAnswered {
			further := nd.Known
			nd.Known = func() map[string]string {
				all := old()
				maps.Copy(all, further())
				return all
			}
		}
		j.Nodes[i] = nd
	}
}

// askNode records that a node must send its expectation for a part by due.
func (j *job) askNode(path string, part int, due time.Time) {
	j.setNode(path, jobevent.NodeAsked, due)
	j.nodes[path].expectPart(part)
	j.wake(due)
}

func (n *nodeEntry) expectPart(part int) {
	if !slices.Contains(n.parts, part) {
		n.parts = append(n.parts, part)
	}
}

// partsAnswered reports whether the node at path must still answer other parts, and if not, up to
// which part it has answered all.
func (l *ledger) partsAnswered(jid, path string, part, parts int) (pending bool, upTo int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil {
		return false, parts
	}
	if n := j.nodes[path]; n != nil && slices.ContainsFunc(n.parts, func(p int) bool { return p != part && p > parts }) {
		return true, 0
	}
	return false, max(j.Part, parts)
}

// answerPart records the parts that x answers, and reports whether none is left.
func (n *nodeEntry) answerPart(x Expectation) (all bool) {
	n.parts = slices.DeleteFunc(n.parts, func(part int) bool { return part == x.Part || part <= x.Parts })
	//mutant:engine-parts-are-answered-one-by-one
	return len(n.parts) == 0
}
