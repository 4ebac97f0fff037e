package ledger

import "time"

// A minion may move from one node to another in the middle of a job. Then two
// nodes speak of it: the one it left, which misses it, and the one it went to. The
// word of the node that has it counts.

// regained tells whether an entry that was given up is taken up again by the word
// of the node at path, which counts the minion among its own: the way over
// another node was the broken one.
func (e *entry) regained(path string) bool {
	return e.back() || e.phase == missing && !e.direct && e.reason == NotConnected && e.path != path
}

// spokenFor tells whether a node other than the one at path has the minion, so
// that it is not missing because that one misses it.
func (e *entry) spokenFor(path string) bool {
	return e.phase.pending() && e.phase != claimable && e.path != "" && e.path != path
}

// move gives an entry to the node at path, where its minion has gone with the job.
func (j *job) move(e *entry, path string) {
	if e.direct || !e.phase.pending() && e.phase != missing {
		return
	}
	if e.phase == missing {
		j.pending++
	}
	e.phase, e.reason, e.path, e.live, e.due = waiting, "", path, Up, time.Time{}
}

// Adopt makes this master wait for the answer of a minion that came here, already
// at work on a job. fresh is false when it does so anyway.
func (l *Ledger) Adopt(spec Job, id string) (fresh bool) {
	l.mu.Lock()
	j := l.jobs[spec.JID]
	if j == nil {
		l.mu.Unlock()
		spec.Minions = []Minion{{ID: id, Live: Up}}
		return l.Open(spec) == nil
	}
	e := j.entries[id]
	switch {
	case e != nil && e.direct:
		l.mu.Unlock()
		return false // presence looks after it
	case e == nil:
		j.add(id, &entry{direct: true, live: Up})
	case e.phase == returned || e.phase == failed:
		l.mu.Unlock()
		return false
	default:
		j.move(e, "")
		e.direct = true
	}
	if !j.closed.IsZero() {
		l.reopen(j)
	}
	l.arm(j)
	l.finish(j, news{})
	return true
}
