package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const (
	// mutest is how many questions a connected minion that announces itself may leave
	// unanswered, after the first: it may be busy.
	mutest = 2
	// rarest is the longest time between two questions to it.
	rarest = time.Hour
	// longestRound is how many times GatherTimeout a question may stay open because
	// others of the job still answer theirs.
	longestRound = 12
)

// askInTurn asks those whose time has come as far as there is room, first those that have
// worked on the job for the shortest time, of all that is known. The others wait.
func (l *ledger) askInTurn(j *job, ids []string, room int, n *news) {
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
			l.due(j, e, l.cfg.Clock.Now().Add(lookEvery))
		}
	}
}

// ask has a minion asked whether it works on the job.
func (l *ledger) ask(j *job, id string, e *entry, n *news) {
	now := l.cfg.Clock.Now()
	// What was given again is asked for soon, as its way goes: the minion may have had it
	// from a sibling, which it alone knows.
	e.phase, e.net = asked, e.live == Up && e.direct && e.pause > 0
	l.due(j, e, now.Add(l.gather(j)))
	e.sent = now.Sub(j.opened)
	j.turns.put(e.sent)
	n.find = append(n.find, id)
}

// roundEnd is when a minion that was asked has had its time: a gather time after the last
// answer of any that were asked. As long as answers come, it is this machine, or theirs,
// that is not through with them. That of one in doubt is set already, and zero is given.
func (l *ledger) roundEnd(j *job, e *entry) time.Time {
	if e.doubt || !j.turns.any {
		return time.Time{}
	}
	//mutant:find-job-round-ends
	end := min(j.turns.lastAt+l.gather(j), e.sent+longestRound*l.gather(j))
	return j.opened.Add(end)
}

// running notes that a minion works on the job: it is asked again later.
func (l *ledger) running(j *job, e *entry) {
	e.phase, e.due = waiting, time.Time{}
	if e.live != Untracked {
		l.askLater(j, e)
		return
	}
	// A job that has run long runs on: each time it is asked after twice as long.
	//mutant:find-job-backs-off
	e.pause = max(j.Timeout, min(2*e.pause, l.cfg.AskConnected))
	l.due(j, e, l.cfg.Clock.Now().Add(e.pause))
}

// askLater has a minion that is connected and announces itself asked some time whether
// it works on the job. No connected minion is waited for without bound.
func (l *ledger) askLater(j *job, e *entry) {
	//mutant:connected-minion-wait-ends
	if !e.direct || e.live != Up {
		return
	}
	e.mute, e.net = 0, false
	if e.pause = min(2*e.pause, rarest); e.pause == 0 {
		e.pause = l.cfg.AskConnected
	}
	l.due(j, e, l.cfg.Clock.Now().Add(e.pause))
}

// gather is the time one round of find_job may take: longer when the question
// has to pass a Python syndic.
func (l *ledger) gather(j *job) time.Duration {
	if !j.holdUntil.IsZero() {
		return l.cfg.GatherTimeout + l.cfg.SyndicWait
	}
	return l.cfg.GatherTimeout
}
