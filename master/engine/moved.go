package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// A minion may move between nodes while it runs a job. Then two nodes report it: the old one as
// missing, the new one as its own. The report of the node that has it counts.

// regained reports whether a minion missing at another node becomes pending again because the node
// at path reports it as its own.
func (e *entry) regained(path string) bool {
	return e.phase == missing && !e.direct && e.reason == NotConnected && e.path != path
}

// spokenFor reports whether another node than the one that misses the minion has it. same matches
// the paths of the latter.
func (e *entry) spokenFor(same func(string) bool) bool {
	return e.phase.pending() && e.phase != claimable && e.path != "" && !same(e.path)
}

// claim records that the node at path also counts a minion that another node reports: it is
// moving, or has several masters. If the other node misses it, this one still waits.
func (j *job) claim(id string, e *entry, path string) {
	if e.direct || !e.phase.pending() || e.path == path || slices.Contains(j.claims[id], path) {
		return
	}
	if j.claims == nil {
		j.claims = map[string][]string{}
	}
	j.claims[id] = append(j.claims[id], path)
}

// unclaim removes a claim.
func (j *job) unclaim(id, path string) {
	j.drop(id, func(p string) bool { return p == path })
}

// unclaimOf removes the claims of the node that reports m, and returns a matcher for its paths.
// Several paths may lead to one node and its report covers all of them; a reason about a node
// covers one path only. If through is not "", the report also covers all paths through that node,
// which is directly below.
func (j *job) unclaimOf(id string, m jobevent.Absence, through string) (same func(path string) bool) {
	one := func(path string) bool { return lastNode(path) == lastNode(m.Path) }
	if isNodeReason(m.Reason) {
		one = func(path string) bool { return path == m.Path }
	}
	//mutant:engine-own-account-covers-all-paths
	same = func(path string) bool { return one(path) || through != "" && behind(path, through) }
	j.drop(id, same)
	return same
}

// otherPaths returns the paths other than known, through a node directly below, at which a pending
// minion is counted.
func (j *job) otherPaths(id, known, through string) (paths []string) {
	e := j.entries[id]
	if through == "" || !e.phase.pending() {
		return nil
	}
	for _, path := range append([]string{e.path}, j.claims[id]...) {
		if path != known && behind(path, through) {
			paths = append(paths, path)
		}
	}
	return paths
}

// unclaimBehind removes all claims through a node directly below.
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

// passOn moves an entry that its node misses to another node that claims the minion. It reports
// whether one does.
func (j *job) passOn(id string, e *entry) bool {
	others := j.claims[id]
	if len(others) == 0 || !e.phase.pending() || e.direct {
		return false
	}
	e.phase, e.path, e.live, e.due = waiting, others[0], Up, time.Time{}
	j.unclaim(id, e.path)
	return true
}

// lastNode returns the node that a path leads to.
func lastNode(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// move assigns an entry to the node at path, where its minion arrived with the job.
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

// adopt makes this master wait for a minion that arrived, or came back, while it runs a job. fresh
// is false if the minion is pending already or a bound on adopted jobs is reached.
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
		return false // presence handles it
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
	l.finish(j, changes{})
	return true
}

// lease gives a direct minion that is not connected the time d to come back; 0 means the
// configured lease.
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
	l.finish(j, changes{})
}

// adopted reports whether a job is known through [ledger.adopt] only.
func (l *ledger) adopted(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j != nil && j.adopted
}

// openAdopted opens a job that was not published here, or not yet.
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
	if l.jobs[spec.JID] != nil { // opened meanwhile
		l.mu.Unlock()
		return l.adopt(spec, id)
	}
	//mutant:invented-jobs-are-bounded
	if l.cfg.MaxAdopted > 0 && l.adoptedJobs >= l.cfg.MaxAdopted || l.cfg.MaxAdoptedPerMinion > 0 && l.adoptedBy[id] >= l.cfg.MaxAdoptedPerMinion {
		l.mu.Unlock()
		return false
	}
	j.adoptedFrom = id
	l.adoptedJobs++
	l.adoptedBy[id]++
	l.jobs[spec.JID] = j
	l.arm(j)
	l.finish(j, changes{})
	return true
}

// uncountAdopted removes a job from the count of adopted jobs: it was published here or forgotten.
// The caller holds l.mu.
func (l *ledger) uncountAdopted(j *job) {
	if !j.adopted || j.adoptedFrom == "" {
		return
	}
	l.adoptedJobs--
	if l.adoptedBy[j.adoptedFrom]--; l.adoptedBy[j.adoptedFrom] == 0 {
		delete(l.adoptedBy, j.adoptedFrom)
	}
	j.adoptedFrom = ""
}

// succeed takes over the state of an adopted job that is now published here. The caller holds the
// ledger's lock.
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
	old.done = set{} // j owns its references to the names
	j.good, j.bad = j.good+old.good, j.bad+old.bad
	for id, e := range old.entries {
		mine := j.entries[id]
		switch {
		case mine == nil:
			j.add(id, e)
		case e.phase.pending() && mine.phase == missing:
			*mine = *e // it runs the job here
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
	old.closed = now // for holders of a stale pointer
}
