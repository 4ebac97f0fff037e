package engine

import (
	"maps"

	"github.com/momtree/mom/internal/jobevent"
)

// A job keeps one bit per minion that has answered; the return itself is in the store. Only
// pending and missing minions have an entry.

// Answer is a return stored before its job was opened.
type Answer struct {
	ID   string
	Path string // nodes it passed through
	OK   bool
}

// shrinkAt is the map size from which answer shrinks the map of entries.
const shrinkAt = 16

// answered reports whether a minion has answered. The names are shared by all jobs and guarded by
// the ledger's lock. A job that is being opened without the lock has no answers and does not read
// them.
func (j *job) answered(id string) bool {
	if j.good+j.bad == 0 {
		return false
	}
	i, ok := j.names.index[id]
	return ok && j.done.has(i)
}

// answer records that a minion has answered and drops its entry.
func (j *job) answer(id string, ok bool) {
	if ok {
		j.good++
	} else {
		j.bad++
	}
	j.done.add(j.names.take(id))
	delete(j.entries, id)
	delete(j.claims, id)
	// Go maps do not shrink.
	if j.most = max(j.most, len(j.entries)+1); j.most > shrinkAt && len(j.entries) < j.most/4 {
		//mutant:open-jobs-are-small
		j.entries = maps.Collect(maps.All(j.entries))
		j.most = len(j.entries)
	}
}

// addAnswers adds the returns stored before the job was opened.
func (j *job) addAnswers(as []Answer) {
	for _, a := range as {
		j.noteHeard(a.Path)
		if j.answered(a.ID) {
			continue
		}
		if e := j.entries[a.ID]; e != nil && e.phase.pending() {
			j.pending--
		}
		j.answer(a.ID, a.OK)
	}
}

// forgetAnswers releases the answers of a forgotten job.
func (j *job) forgetAnswers() {
	j.done.each(j.names.drop)
	j.done = set{}
}

// addMissing adds minions stored as missing to a job that reopens. It reports nothing and does not
// change existing entries.
func (l *ledger) addMissing(jid string, minions map[string]jobevent.Absence) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil {
		return
	}
	for id, m := range minions {
		if j.entries[id] != nil || j.answered(id) {
			continue
		}
		e := &entry{path: m.Path, direct: isDirect(m)}
		j.add(id, e)
		j.settle(id, e, missing, m.Reason)
	}
}

// restored clears [Job.Restoring]: all stored state of the job has been added and it may close.
func (l *ledger) restored(jid string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return
	}
	j.Restoring = false
	l.finish(j, changes{})
}
