package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const (
	// maxUnanswered is the number of further find_job questions that a connected minion with
	// presence may leave unanswered: it may be busy.
	maxUnanswered = 2
	// maxAskInterval is the longest interval between two questions to such a minion.
	maxAskInterval = time.Hour
	// maxRoundFactor bounds a round of find_job, in units of GatherTimeout, while other minions
	// keep answering.
	maxRoundFactor = 12
)

// askInTurn sends find_job to up to room of the minions that are due, those asked least often
// first. The others wait for the next look.
func (l *ledger) askInTurn(j *job, ids []string, room int, n *changes) {
	//mutant:find-job-window
	room = max(room-len(n.find), 0)
	if 0 < room && room < len(ids) {
		slices.SortFunc(ids, func(a, b string) int {
			return cmp.Or(cmp.Compare(j.entries[a].pause, j.entries[b].pause), strings.Compare(a, b))
		})
	}
	for i, id := range ids {
		if e := j.entries[id]; i < room {
			l.ask(j, id, e, n)
		} else {
			l.due(j, e, l.cfg.Clock.Now().Add(lookInterval))
		}
	}
}

// ask sends find_job to a minion.
func (l *ledger) ask(j *job, id string, e *entry, n *changes) {
	now := l.cfg.Clock.Now()
	// Only the minion knows if it got the job from a sibling, so a redelivered job is asked for
	// soon.
	e.phase, e.safetyCheck = asked, e.live == Up && e.direct && e.pause > 0
	l.due(j, e, now.Add(l.gather(j)))
	e.sent = now.Sub(j.opened)
	j.turns.asked(e.sent)
	n.find = append(n.find, id)
}

// roundEnd returns when a minion has failed a round of find_job: one gather time after the last
// answer of any minion, since a slow machine delays all answers. It returns zero for an entry in
// doubt, whose deadline is fixed.
func (l *ledger) roundEnd(j *job, e *entry) time.Time {
	if e.doubt || !j.turns.anyAnswer {
		return time.Time{}
	}
	//mutant:find-job-round-ends
	end := min(j.turns.lastAt+l.gather(j), e.sent+maxRoundFactor*l.gather(j))
	return j.opened.Add(end)
}

// running records that a minion runs the job, and schedules the next question.
func (l *ledger) running(j *job, e *entry) {
	e.phase, e.due = waiting, time.Time{}
	if e.live != Untracked {
		l.askLater(j, e)
		return
	}
	// Each interval is twice the previous one.
	//mutant:find-job-backs-off
	e.pause = max(j.Timeout, min(2*e.pause, l.cfg.AskConnected))
	l.due(j, e, l.cfg.Clock.Now().Add(e.pause))
}

// askLater schedules the safety check of a connected minion with presence, so that no connected
// minion stays pending forever.
func (l *ledger) askLater(j *job, e *entry) {
	//mutant:connected-minion-wait-ends
	if !e.direct || e.live != Up {
		return
	}
	e.unanswered, e.safetyCheck = 0, false
	if e.pause = min(2*e.pause, maxAskInterval); e.pause == 0 {
		e.pause = l.cfg.AskConnected
	}
	l.due(j, e, l.cfg.Clock.Now().Add(e.pause))
}

// gather returns the duration of a round of find_job. It is longer if the question passes a Python
// syndic.
func (l *ledger) gather(j *job) time.Duration {
	if !j.holdUntil.IsZero() {
		return l.cfg.GatherTimeout + l.cfg.SyndicWait
	}
	return l.cfg.GatherTimeout
}
