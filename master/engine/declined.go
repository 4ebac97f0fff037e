package engine

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Reasons of minions that have declined a job: they are not meant by the data that they have
// themselves.
const (
	// Unmatched: this master did not know the data either. Masters of ours leave such a
	// minion out of the account.
	Unmatched = jobevent.Unmatched
	// UnmatchedGrains and its like: the grains or pillar that this master has of the minion
	// match, and those of the minion do not.
	UnmatchedGrains = Unmatched + " its grains"
	UnmatchedPillar = Unmatched + " its pillar"
	UnmatchedBoth   = Unmatched + " its grains and pillar"
)

// askUnsure is after how long a minion is asked of whom it is not known whether the job is
// meant for it: it may not know either that it is waited for.
const askUnsure = 500 * time.Millisecond

// Declined tells that a minion of this master does not take a job, since the target does not
// match the data that it has: grains, pillar, or both. One of whom that was not known leaves
// the account; any other one is missing.
func (l *ledger) Declined(jid, id string, data ...string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || j.entries[id] == nil || !j.entries[id].direct || !j.entries[id].phase.pending() {
		l.mu.Unlock()
		return
	}
	var n news
	e := j.entries[id]
	if e.unsure {
		e.reason = Unmatched
		n.miss(id, e) // for the masters above, which count it too
		j.leave(id, e)
		l.finish(j, n)
		return
	}
	grains, pillar := slices.Contains(data, "grains"), slices.Contains(data, "pillar")
	reason := UnmatchedBoth
	switch {
	case grains && !pillar:
		reason = UnmatchedGrains
	case pillar && !grains:
		reason = UnmatchedPillar
	}
	if j.settle(id, e, missing, reason) {
		n.miss(id, e)
	}
	l.finish(j, n)
}

// leave takes an entry out of the account.
func (j *job) leave(id string, e *entry) {
	if e.phase.pending() {
		j.pending--
	}
	delete(j.entries, id)
	delete(j.claims, id)
	delete(j.held, id)
}

// firstQuestion sets when a connected minion that announces itself is asked for the first
// time whether it works on the job. What the target means by data may be judged otherwise by
// the minion, so such a job asks as early as Salt does.
func (l *ledger) firstQuestion(j *job, e *entry) {
	now := l.cfg.Clock.Now()
	switch {
	case e.unsure:
		l.due(j, e, now.Add(min(askUnsure, j.Timeout)))
	case j.ByData:
		l.due(j, e, now.Add(j.Timeout))
	default:
		l.askLater(j, e)
	}
}
