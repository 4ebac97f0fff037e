package engine

import (
	"sort"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// doubtInterval is how often the ledger checks whether a doubtful entry is certainly gone.
const doubtInterval = time.Second

// lookInterval is the granularity of deadlines: each look at a job visits all its entries.
const lookInterval = 250 * time.Millisecond

// due sets the deadline of an entry, rounded up to lookInterval.
func (l *ledger) due(j *job, e *entry, at time.Time) {
	if over := at.Sub(j.opened) % lookInterval; over > 0 {
		at = at.Add(lookInterval - over)
	}
	if e.doubt {
		e.until = at
		if look := l.cfg.Clock.Now().Add(doubtInterval); look.Before(at) {
			at = look
		}
	}
	e.due = at
	j.wake(at)
}

// wake makes the job's timer fire at or before at.
func (j *job) wake(at time.Time) {
	if j.next.IsZero() || at.Before(j.next) {
		j.next = at
	}
}

// arm sets the job's timer to its next deadline. The caller holds l.mu.
func (l *ledger) arm(j *job) {
	if j.next.IsZero() || !j.closed.IsZero() {
		return
	}
	wait := j.next.Sub(l.cfg.Clock.Now())
	if j.timer == nil {
		j.timer = l.cfg.Clock.AfterFunc(wait, func() { l.expire(j) })
		return
	}
	j.timer.Reset(wait)
}

// expire handles all due deadlines of a job. Deadlines are rare: a scan of all entries is cheaper
// than an ordered structure that every return must maintain.
func (l *ledger) expire(j *job) {
	l.mu.Lock()
	if l.closed || !j.closed.IsZero() {
		l.mu.Unlock()
		return
	}
	now := l.cfg.Clock.Now()
	j.next = time.Time{}
	if j.holdUntil.After(now) {
		j.wake(j.holdUntil)
	}
	var n changes
	j.expireStandBy(now, &n)
	var roots map[string]string
	for path, nd := range j.nodes {
		switch {
		case nd.due.IsZero():
		case nd.due.After(now):
			j.wake(nd.due)
		default:
			if roots == nil {
				roots = map[string]string{}
			}
			roots[path] = j.expireNode(path, &n)
		}
	}
	l.missBehind(j, roots, &n)
	var turn []string // minions to ask
	j.turns.look()
	for id, e := range j.entries {
		if e.phase == asked {
			j.turns.count(now.Sub(j.opened), e.sent)
		}
		switch {
		case e.due.IsZero() || !e.phase.pending():
		case e.due.After(now):
			j.wake(e.due)
		case e.phase == waiting && !e.doubt:
			turn = append(turn, id)
		default:
			l.expireEntry(j, id, e, now, &n)
		}
	}
	l.askInTurn(j, turn, j.turns.room(l.cfg.FindJobWindow), &n)
	sort.Strings(n.find)
	sort.Strings(n.rescued)
	l.arm(j)
	l.finish(j, n)
}

// expireNode marks a node as silent or unreachable and returns the reason for the minions behind
// it.
func (j *job) expireNode(path string, n *changes) (reason string) {
	state, reason := jobevent.NodeSilent, NodeNoResponse
	if j.nodes[path].away {
		state, reason = jobevent.NodeUnreachable, NodeDown
	}
	j.setNode(path, state, time.Time{})
	n.node(path, state)
	return j.away(reason)
}

func (l *ledger) expireEntry(j *job, id string, e *entry, now time.Time, n *changes) {
	if e.doubt && (e.phase == waiting || e.phase == asked) {
		switch certain, _ := l.gone(e, id); {
		//mutant:doubt-ends-the-wait
		case certain:
			j.settle(id, e, missing, j.away(NotConnected))
			n.miss(id, e)
			return
		case e.until.After(now):
			l.due(j, e, e.until)
			return
		}
	}
	switch e.phase {
	case waiting:
		l.ask(j, id, e, n)
		return
	case asked:
		//mutant:find-job-round-follows-answers
		if end := l.roundEnd(j, e); end.After(now) {
			l.due(j, e, end)
			return
		}
		if e.live == Up && e.direct && e.unanswered < maxUnanswered {
			e.unanswered++
			l.due(j, e, now.Add(l.gather(j)))
			n.find = append(n.find, id)
			return
		}
		if _, again := l.gone(e, id); again > 0 {
			l.due(j, e, now.Add(again))
			return
		}
		n.rescue(j, id, e, now)
		reason := NoResponse
		if nd := j.nodes[firstNode(e.path)]; e.presumed && nd != nil && !nd.heard {
			reason = NodeNoResponse
		}
		j.settle(id, e, missing, reason)
	case finishing:
		n.rescue(j, id, e, now)
		j.settle(id, e, missing, NotRunning)
	case leased:
		if j.passOn(id, e) {
			return
		}
		certain, again := l.gone(e, id)
		if again > 0 {
			l.due(j, e, now.Add(again))
			return
		}
		if !certain {
			j.settle(id, e, missing, NoResponse)
			n.miss(id, e)
			return
		}
		reason := NotConnected
		if !e.direct {
			reason = NodeDown
		}
		j.settle(id, e, missing, j.away(reason))
		if root := firstNode(e.path); e.path != "" && j.nodes[root] != nil {
			j.setNode(root, jobevent.NodeUnreachable, time.Time{})
			n.node(root, jobevent.NodeUnreachable)
		}
	}
	n.miss(id, e)
}

// gone asks [AccountConfig.Gone] about a direct minion. Nodes report their own minions.
func (l *ledger) gone(e *entry, id string) (certain bool, again time.Duration) {
	if l.cfg.Gone == nil || !e.direct {
		return true, 0
	}
	return l.cfg.Gone(id)
}
