package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// A job grows when it is published again to further minions: a batch publishes each of its
// slices under one jid. The account stays one; each publication is one part of it, and a node
// below owes its expectation for each part that it was given.

// holdOpen keeps the account of a job, open or lately closed, from closing and from being
// forgotten until [ledger.growJob] or [ledger.letClose] is called as often. known is false for a job
// that the ledger does not have.
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

// letClose takes one [ledger.holdOpen] back: the job was not extended.
func (l *ledger) letClose(jid string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || j.growing == 0 {
		l.mu.Unlock()
		return
	}
	j.growing--
	l.finish(j, news{})
}

// growJob enters one more publication of a job that [ledger.holdOpen] holds. Named, if not 0, is how
// many minions the job names by now, in all. reopened: the job was closed, and is taken up again.
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
	var n news
	if reopened = !j.closed.IsZero(); reopened {
		l.reopen(j)
	}
	l.openMinions(j, spec.Minions, now, &n)
	l.openNodes(j, spec.Nodes, spec.Part, now, &n)
	j.name(spec.Unclaimed)
	l.arm(j)
	l.finish(j, n)
	return true, reopened
}

// learnNodes notes who is known behind the nodes that a further publication goes to. What was
// known of an earlier one counts until the node has said whom it asks.
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

// askNode notes that the expectation of a node for a publication is due.
func (j *job) askNode(path string, part int, due time.Time) {
	j.setNode(path, jobevent.NodeAsked, due)
	j.nodes[path].owes(part)
	j.wake(due)
}

func (n *nodeEntry) owes(part int) {
	if !slices.Contains(n.parts, part) {
		n.parts = append(n.parts, part)
	}
}

// answers tells what a word of a node that answers a publication is worth: whether the node owes
// others still, and, if it does not, up to which publication it has answered all.
func (l *ledger) answers(jid, path string, part, parts int) (owes bool, upTo int) {
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

// answers enters for which publications a node has told its expectation. all is false while it
// owes others.
func (n *nodeEntry) answers(x Expectation) (all bool) {
	n.parts = slices.DeleteFunc(n.parts, func(part int) bool { return part == x.Part || part <= x.Parts })
	//mutant:engine-parts-are-answered-one-by-one
	return len(n.parts) == 0
}
