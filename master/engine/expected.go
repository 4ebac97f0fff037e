package engine

import (
	"slices"

	"github.com/momtree/mom/internal/jobevent"
)

// Expected is who has to answer a job, as far as the nodes below have said.
type Expected struct {
	// Minions are the ids, sorted, whether they have answered, are waited for or are missing.
	// Ids that the target names and that nobody has are left out.
	Minions []string
	// Pending are the paths of the nodes that are asked and have not told their minions.
	Pending []string
	// Silent are the Python syndics that have not said a word: they cannot say that they
	// have nobody.
	Silent []string
	// Changed is closed once Pending or Silent may have changed.
	Changed <-chan struct{}
}

// Expected returns who has to answer a job, open or lately closed.
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

// nodesChanged wakes those who wait for what nodes say of the job.
func (j *job) nodesChanged() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}
