package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// A minion may move from one node to another in the middle of a job. Then two
// nodes speak of it: the one it left, which misses it, and the one it went to. The
// word of the node that has it counts.

// regained reports whether an entry that another node misses is taken up again by the word of
// the node at path, which counts the minion among its own.
func (e *entry) regained(path string) bool {
	return e.phase == missing && !e.direct && e.reason == NotConnected && e.path != path
}

// spokenFor tells whether another node than the one that misses the minion has it,
// so that it is not missing; same tells the paths of the one that misses it.
func (e *entry) spokenFor(same func(string) bool) bool {
	return e.phase.pending() && e.phase != claimable && e.path != "" && !same(e.path)
}

// claim notes that the node at path counts a minion among its own, too, for which
// another speaks already: it is connected to both while it moves, or has several
// masters. When that other one misses it, this one still waits for it.
func (j *job) claim(id string, e *entry, path string) {
	if e.direct || !e.phase.pending() || e.path == path || slices.Contains(j.claims[id], path) {
		return
	}
	if j.claims == nil {
		j.claims = map[string][]string{}
	}
	j.claims[id] = append(j.claims[id], path)
}

// unclaim takes a claim back.
func (j *job) unclaim(id, path string) {
	j.drop(id, func(p string) bool { return p == path })
}

// unclaimOf takes back the claims of a node that misses a minion, and gives what
// tells its paths: several ways may lead to one node, and its word counts over
// each; but what is said of the way is said of one.
func (j *job) unclaimOf(id string, m jobevent.Absence) (same func(path string) bool) {
	same = func(path string) bool { return last(path) == last(m.Path) }
	if ofTheWay(m.Reason) {
		same = func(path string) bool { return path == m.Path }
	}
	j.drop(id, same)
	return same
}

// unclaimBehind takes back all claims that came over a node right below.
func (j *job) unclaimBehind(node string) {
	for id := range j.claims {
		j.drop(id, func(p string) bool { return behind(p, node) })
	}
}

func (j *job) drop(id string, gone func(path string) bool) {
	rest := slices.DeleteFunc(j.claims[id], gone)
	if len(rest) == 0 {
		delete(j.claims, id)
		return
	}
	j.claims[id] = rest
}

// passOn gives an entry that its node misses to another one that counts the
// minion, if there is one.
func (j *job) passOn(id string, e *entry) bool {
	others := j.claims[id]
	if len(others) == 0 || !e.phase.pending() || e.direct {
		return false
	}
	e.phase, e.path, e.live, e.due = waiting, others[0], Up, time.Time{}
	j.unclaim(id, e.path)
	return true
}

// last is the node that a path leads to.
func last(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// move gives an entry to the node at path, where its minion has gone with the job.
func (j *job) move(id string, e *entry, path string) {
	if e.direct || !e.phase.pending() && e.phase != missing {
		return
	}
	if e.phase == missing {
		j.pending++
	}
	delete(j.claims, id)
	e.phase, e.reason, e.path, e.live, e.due = waiting, "", path, Up, time.Time{}
}

// adopt makes this master wait for the answer of a minion that came here, or came
// back, already at work on a job. fresh is false when it does so anyway, or when so
// many jobs are known by the word of minions alone that it takes no more.
func (l *ledger) adopt(spec Job, id string) (fresh bool) {
	l.mu.Lock()
	j := l.jobs[spec.JID]
	if j == nil {
		l.mu.Unlock()
		return l.openAdopted(spec, id)
	}
	e := j.entries[id]
	switch {
	case e != nil && e.direct && e.phase.pending():
		l.mu.Unlock()
		return false // presence looks after it
	case e == nil && j.answered(id):
		l.mu.Unlock()
		return false
	case e == nil:
		e = &entry{direct: true, live: Up}
		j.add(id, e)
		l.askLater(j, e)
	default:
		e.direct = false
		j.move(id, e, "")
		e.direct, e.pause = true, 0
		l.askLater(j, e)
	}
	if !j.closed.IsZero() {
		l.reopen(j)
	}
	l.arm(j)
	l.finish(j, news{})
	return true
}

// lease gives a minion of this master that is not connected d, or what the ledger
// grants if d is 0, to come back to a job.
func (l *ledger) lease(jid, id string, d time.Duration) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || j.entries[id] == nil || !j.entries[id].direct || !j.entries[id].phase.pending() {
		l.mu.Unlock()
		return
	}
	if d <= 0 {
		d = l.cfg.Lease
	}
	e := j.entries[id]
	e.phase = leased
	l.due(j, e, l.cfg.Clock.Now().Add(d))
	l.arm(j)
	l.finish(j, news{})
}

// adopted tells whether a job is known by [ledger.adopt] alone.
func (l *ledger) adopted(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j != nil && j.adopted
}

// openAdopted enters a job that this master was not asked for, or not yet.
func (l *ledger) openAdopted(spec Job, id string) bool {
	spec.Minions = []Minion{{ID: id, Live: Up}}
	j := l.newJob(spec, l.cfg.Clock.Now())
	e := &entry{direct: true, live: Up}
	j.add(id, e)
	l.askLater(j, e)
	j.adopted = true
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	if l.jobs[spec.JID] != nil { // it was opened meanwhile
		l.mu.Unlock()
		return l.adopt(spec, id)
	}
	//mutant:invented-jobs-are-bounded
	if l.cfg.Brought > 0 && l.bring >= l.cfg.Brought || l.cfg.BroughtBy > 0 && l.brings[id] >= l.cfg.BroughtBy {
		l.mu.Unlock()
		return false
	}
	j.broughtBy = id
	l.bring++
	l.brings[id]++
	l.jobs[spec.JID] = j
	l.arm(j)
	l.finish(j, news{})
	return true
}

// unbring counts a job no more that was known by the word of a minion: it is given
// now, or forgotten. The caller holds mu.
func (l *ledger) unbring(j *job) {
	if !j.adopted || j.broughtBy == "" {
		return
	}
	l.bring--
	if l.brings[j.broughtBy]--; l.brings[j.broughtBy] == 0 {
		delete(l.brings, j.broughtBy)
	}
	j.broughtBy = ""
}

// succeed takes over what is known of a job from minions that came at work on it
// before it did; the caller holds the ledger's lock.
func (j *job) succeed(old *job, now time.Time) {
	j.opened, j.claims = old.opened, old.claims
	old.done.each(func(i uint32) {
		id := j.names.ids[i]
		if e := j.entries[id]; e != nil && e.phase.pending() {
			j.pending--
		}
		delete(j.entries, id)
		j.done.add(i)
	})
	old.done = set{} // its uses of the ids are the job's now
	j.good, j.bad = j.good+old.good, j.bad+old.bad
	for id, e := range old.entries {
		mine := j.entries[id]
		switch {
		case mine == nil:
			j.add(id, e)
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
	old.nodesChanged()
	old.closed = now // for whoever holds it still
}
