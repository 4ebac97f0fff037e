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
		return l.openAdopted(spec, id)
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

// Adopted tells whether a job is known by [Ledger.Adopt] alone.
func (l *Ledger) Adopted(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j != nil && j.adopted
}

// openAdopted enters a job that this master was not asked for, or not yet.
func (l *Ledger) openAdopted(spec Job, id string) bool {
	spec.Minions = []Minion{{ID: id, Live: Up}}
	j := l.newJob(spec, l.cfg.Clock.Now())
	j.add(id, &entry{direct: true, live: Up})
	j.adopted = true
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	if l.jobs[spec.JID] != nil { // it was opened meanwhile
		l.mu.Unlock()
		return l.Adopt(spec, id)
	}
	l.jobs[spec.JID] = j
	l.finish(j, news{})
	return true
}

// succeed takes over what is known of a job from minions that came at work on it
// before it did; the caller holds the ledger's lock.
func (j *job) succeed(old *job, now time.Time) {
	j.opened = old.opened
	for id, e := range old.entries {
		mine := j.entries[id]
		switch {
		case mine == nil:
			j.add(id, e)
			switch e.phase {
			case returned:
				j.good++
			case failed:
				j.bad++
			}
		case e.phase == returned || e.phase == failed:
			j.settle(mine, e.phase, "")
		case e.phase.pending() && mine.phase == missing:
			*mine = *e // it is at work here
			j.pending++
		}
		if !e.due.IsZero() {
			j.wake(e.due)
		}
	}
	if old.timer != nil {
		old.timer.Stop()
	}
	old.closed = now // for whoever holds it still
}
