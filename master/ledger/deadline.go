package ledger

import (
	"sort"
	"time"
)

// due sets when an entry has to be looked at again.
func (l *Ledger) due(j *job, e *entry, at time.Time) {
	e.due = at
	j.wake(at)
}

// wake notes that the job has to be looked at by then.
func (j *job) wake(at time.Time) {
	if j.next.IsZero() || at.Before(j.next) {
		j.next = at
	}
}

// arm sets the job's one timer for its next deadline. The caller holds mu.
func (l *Ledger) arm(j *job) {
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

// expire looks at all that is due in a job. Deadlines are rare, so one scan of
// the job's entries per deadline is cheaper than an ordered structure that each
// return would have to keep.
func (l *Ledger) expire(j *job) {
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
	var n news
	for path, nd := range j.nodes {
		switch {
		case nd.due.IsZero():
		case nd.due.After(now):
			j.wake(nd.due)
		default:
			l.expireNode(j, path, &n)
		}
	}
	for id, e := range j.entries {
		switch {
		case e.due.IsZero() || !e.phase.pending():
		case e.due.After(now):
			j.wake(e.due)
		default:
			l.expireEntry(j, id, e, now, &n)
		}
	}
	sort.Strings(n.find)
	l.arm(j)
	l.finish(j, n)
}

func (l *Ledger) expireNode(j *job, path string, n *news) {
	state := NodeSilent
	if j.nodes[path].away {
		state = NodeUnreachable
	}
	j.setNode(path, state, time.Time{})
	n.node(path, state)
	for _, nd := range j.Nodes {
		if nd.ID == path {
			l.missNode(j, nd, n)
		}
	}
}

func (l *Ledger) expireEntry(j *job, id string, e *entry, now time.Time, n *news) {
	switch e.phase {
	case waiting:
		e.phase = asked
		l.due(j, e, now.Add(l.gather(j)))
		n.find = append(n.find, id)
		return
	case asked:
		j.settle(e, missing, NoResponse)
	case finishing:
		j.settle(e, missing, NotRunning)
	case leased:
		if j.passOn(id, e) {
			return
		}
		reason := NotConnected
		if !e.direct {
			reason = NodeDown
		}
		j.settle(e, missing, j.away(reason))
		if root := head(e.path); e.path != "" && j.nodes[root] != nil {
			j.setNode(root, NodeUnreachable, time.Time{})
			n.node(root, NodeUnreachable)
		}
	}
	n.miss(id, e)
}

// gather is the time one round of find_job may take: longer when the question
// has to pass a Python syndic.
func (l *Ledger) gather(j *job) time.Duration {
	if !j.holdUntil.IsZero() {
		return l.cfg.GatherTimeout + l.cfg.SyndicWait
	}
	return l.cfg.GatherTimeout
}
