package engine

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Reasons of minions that declined a job because their own data does not match the target.
const (
	// Unmatched: this master did not know the data either. mom leaves such minions out of the
	// account.
	Unmatched = jobevent.Unmatched
	// UnmatchedGrains and the following: this master's copy of the grains or pillar matches, the
	// minion's own does not.
	UnmatchedGrains = Unmatched + " its grains"
	UnmatchedPillar = Unmatched + " its pillar"
	UnmatchedBoth   = Unmatched + " its grains and pillar"
)

// unsureDelay is the time until find_job goes to a minion that may not match the target. It may
// not know that the master waits.
const unsureDelay = 500 * time.Millisecond

// Declined reports that a direct minion declines a job because its own data (grains, pillar or
// both) does not match. An unsure minion leaves the account; any other is missing.
func (l *ledger) Declined(jid, id string, data ...string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || j.entries[id] == nil || !j.entries[id].direct || !j.entries[id].phase.pending() {
		l.mu.Unlock()
		return
	}
	var n changes
	e := j.entries[id]
	if e.unsure {
		e.reason = Unmatched
		n.miss(id, e) // the masters above count it too
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

// leave removes an entry from the account.
func (j *job) leave(id string, e *entry) {
	if e.phase.pending() {
		j.pending--
	}
	delete(j.entries, id)
	delete(j.claims, id)
	delete(j.held, id)
}

// firstQuestion schedules the first find_job for a connected minion with presence. The minion may
// judge a target by data differently, so such a job asks after Timeout, as Salt does.
func (l *ledger) firstQuestion(j *job, e *entry) {
	now := l.cfg.Clock.Now()
	switch {
	case e.unsure:
		l.due(j, e, now.Add(min(unsureDelay, j.Timeout)))
	case j.ByData:
		l.due(j, e, now.Add(j.Timeout))
	default:
		l.askLater(j, e)
	}
}
