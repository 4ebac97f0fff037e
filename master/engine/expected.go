package engine

import (
	"slices"

	"github.com/momtree/mom/internal/jobevent"
)

// Expected lists the minions that must answer a job, as reported so far.
type Expected struct {
	// Minions holds the ids, sorted: answered, pending or missing. Unknown ids are left out.
	Minions []string
	// Pending holds the paths of nodes that have not sent their expectation.
	Pending []string
	// Silent holds the paths of Python syndics that have sent nothing. They cannot report that
	// they match no minion.
	Silent []string
	// Changed is closed when Pending or Silent may have changed.
	Changed <-chan struct{}
}

// Expected returns the minions that must answer a job, open or recently closed.
func (l *ledger) Expected(jid string) (x Expected, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil {
		return Expected{}, false
	}
	for id, e := range j.entries {
		if e.phase != claimable && (e.phase != missing || e.reason != Unknown) {
			x.Minions = append(x.Minions, id)
		}
	}
	j.done.each(func(i uint32) { x.Minions = append(x.Minions, l.names.ids[i]) })
	for path, n := range j.nodes {
		switch {
		case n.state == jobevent.NodeAsked:
			x.Pending = append(x.Pending, path)
		case n.state == jobevent.NodePlain && !n.heard:
			x.Silent = append(x.Silent, path)
		}
	}
	slices.Sort(x.Minions)
	slices.Sort(x.Pending)
	slices.Sort(x.Silent)
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	x.Changed = j.changed
	return x, true
}

// nodesChanged wakes the readers of [Expected.Changed].
func (j *job) nodesChanged() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}
