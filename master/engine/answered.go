package engine

import (
	"maps"

	"github.com/momtree/mom/internal/jobevent"
)

// Who has answered a job is remembered by a number in a set and no more: what was
// returned is on disk. An entry is kept of those who are waited for, or missing.

// Answer is a return that was there before its account was opened.
type Answer struct {
	ID   string
	Path string // over which nodes it came
	OK   bool
}

// shrinkAt is how many entries a map may have beyond those it has use for.
const shrinkAt = 16

// answered tells whether a minion has answered. The names are those of all jobs: a job that is
// being opened, for which nobody holds the lock, has no answers and does not look at them.
func (j *job) answered(id string) bool {
	if j.good+j.bad == 0 {
		return false
	}
	i, ok := j.names.index[id]
	return ok && j.done.has(i)
}

// answer remembers that a minion has answered and forgets what else was known of it.
func (j *job) answer(id string, ok bool) {
	if ok {
		j.good++
	} else {
		j.bad++
	}
	j.done.add(j.names.take(id))
	delete(j.entries, id)
	delete(j.claims, id)
	// A map that was large stays large.
	if j.most = max(j.most, len(j.entries)+1); j.most > shrinkAt && len(j.entries) < j.most/4 {
		//mutant:open-jobs-are-small
		j.entries = maps.Collect(maps.All(j.entries))
		j.most = len(j.entries)
	}
}

// enter takes in the returns that were there before.
func (j *job) enter(as []Answer) {
	for _, a := range as {
		j.hear(a.Path)
		if j.answered(a.ID) {
			continue
		}
		if e := j.entries[a.ID]; e != nil && e.phase.pending() {
			j.pending--
		}
		j.answer(a.ID, a.OK)
	}
}

// forgetAnswers gives up what the job remembers of those who have answered.
func (j *job) forgetAnswers() {
	j.done.each(j.names.drop)
	j.done = set{}
}

// named enters minions of a job that opens anew which were named as missing before: their
// state is known, and nobody is told again. Those that the job has by now stay as they are.
func (l *ledger) named(jid string, minions map[string]jobevent.Absence) {
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
		e := &entry{path: m.Path, direct: ofItsOwn(m)}
		j.add(id, e)
		j.settle(id, e, missing, m.Reason)
	}
}

// entered tells that all that was known of a job that was opened as [Job.Entering] has
// been told: it may close.
func (l *ledger) entered(jid string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return
	}
	j.Entering = false
	l.finish(j, news{})
}
