package engine

import "github.com/momtree/mom/internal/jobevent"

// Reasons of minions that a queued job waits for (see [Job.Queue]).
const (
	// Queued: the minion is away and gets the job when it returns.
	Queued = "Queued"
	// Expired: it did not return before the deadline.
	Expired = "Expired"
	// Dequeued: the job was taken back before it returned.
	Dequeued = "Dequeued"
)

// away is why a minion that cannot be reached now does not answer.
func (j *job) away(reason string) string {
	switch {
	case !j.Queue || reason != NotConnected && reason != NodeDown && reason != NodeNoResponse:
		return reason
	//mutant:engine-late-are-not-queued
	case j.unqueued:
		return Expired
	}
	return Queued
}

// unqueue tells that a job is queued for nobody any more who is found away from now on: said to be
// queued and then not, a death between the two would leave it queued for good.
func (l *ledger) unqueue(jid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[jid]; j != nil {
		j.unqueued = true
	}
}

// back tells whether a minion was given up only because the way to it was broken,
// so that word of its node takes it up again.
func (e *entry) back() bool {
	return e.phase == missing && (ofTheWay(e.reason) || e.reason == Queued)
}

// ofTheWay tells whether a reason is about a node before the minion. It is the word of the
// node above that one, about one way to the minion.
func ofTheWay(reason string) bool {
	return reason == NodeDown || reason == NodeNoResponse || reason == NodeRefused
}

// ofItsOwn tells whether it is a minion of this master that is missing so. What is said of the
// way is said of none of its own.
func ofItsOwn(m jobevent.Absence) bool {
	return m.Path == "" && !ofTheWay(m.Reason) && m.Reason != Unknown
}

// Owes reports whether a job is open and a minion of this master owes its answer, also when it
// was given up: it may be given the job again.
func (l *ledger) Owes(jid, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil || !j.closed.IsZero() {
		return false
	}
	e := j.entries[id]
	return e != nil && e.direct
}

// OwesNode is Owes for a node right below. It owes for as long as the job is open: it may
// have told its expectation because another master asked it, while it was away from this
// one, and brings returns only to masters that it knows to have asked.
func (l *ledger) OwesNode(jid, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j != nil && j.closed.IsZero() && j.nodes[id] != nil
}

// Given tells that a minion of this master is connected and about to be given an open job
// that it missed: it is waited for again. One that has said nothing after a round of
// find_job is asked.
func (l *ledger) Given(jid, id string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || !j.closed.IsZero() {
		l.mu.Unlock()
		return
	}
	if e := j.entries[id]; e != nil && e.direct {
		if e.phase == missing {
			j.pending++
		}
		e.phase, e.reason, e.live, e.pause = waiting, "", Up, 0
		e.sign = l.cfg.Clock.Now().Sub(j.opened)
		l.due(j, e, l.cfg.Clock.Now().Add(l.cfg.GatherTimeout))
	}
	l.arm(j)
	l.finish(j, news{})
}

// GivenNode is Given for a node right below: it has the whole timeout for its expectation.
func (l *ledger) GivenNode(jid, id string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || !j.closed.IsZero() {
		l.mu.Unlock()
		return
	}
	if n := j.nodes[id]; n != nil && (n.state == jobevent.NodeAsked || n.state == jobevent.NodeSilent || n.state == jobevent.NodeUnreachable) {
		due := l.cfg.Clock.Now().Add(j.Timeout)
		j.setNode(id, jobevent.NodeAsked, due)
		j.wake(due)
	}
	l.arm(j)
	l.finish(j, news{})
}

// Unheard tells that a minion was not connected when a job was published, and was not
// given it since: it has certainly not heard it.
func (l *ledger) Unheard(jid, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil || j.entries[id] == nil {
		return false
	}
	e := j.entries[id]
	return e.direct && (e.live == Away || e.live == Down)
}

// givenStock is Given for a minion that cannot say what it works on: it is asked like
// any other that was given the job just now.
func (l *ledger) givenStock(jid, id string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || !j.closed.IsZero() || j.entries[id] == nil {
		l.mu.Unlock()
		return
	}
	e := j.entries[id]
	if e.direct && e.phase != returned && e.phase != failed {
		if e.phase == missing {
			j.pending++
		}
		e.phase, e.reason, e.live, e.doubt = waiting, "", Untracked, false
		e.sign = l.cfg.Clock.Now().Sub(j.opened)
		l.due(j, e, l.cfg.Clock.Now().Add(j.Timeout))
	}
	l.arm(j)
	l.finish(j, news{})
}

// overdue gives queued minions of a job another reason, Expired or Dequeued;
// minions maps each to the path to it.
func (l *ledger) overdue(jid, reason string, minions map[string]string) (known bool) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return false
	}
	var n news
	for id, path := range minions {
		e := j.entries[id]
		if e == nil && j.answered(id) {
			continue
		}
		if e == nil {
			e = &entry{phase: missing, path: path, direct: path == ""}
			j.add(id, e)
		}
		if e.phase == missing {
			e.reason = reason
			n.miss(id, e)
		}
	}
	l.finish(j, n)
	return true
}
