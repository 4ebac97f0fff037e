package engine

import "github.com/momtree/mom/internal/jobevent"

// Reasons of minions for which a job is queued; see [Job.Queue].
const (
	// Queued: the minion is away and receives the job when it returns.
	Queued = "Queued"
	// Expired: it did not return before the deadline.
	Expired = "Expired"
	// Dequeued: the queued job was cancelled.
	Dequeued = "Dequeued"
)

// away returns the reason of a minion that cannot be reached now.
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

// unqueue ends the queueing of a job: minions found away from now on are Expired. A crash between
// two records, queued and then expired, would leave them queued forever.
func (l *ledger) unqueue(jid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[jid]; j != nil {
		j.unqueued = true
	}
}

// lostWithNode reports whether a minion is missing only because its node was lost, so that an
// expectation of the node makes it pending again.
func (e *entry) lostWithNode() bool {
	return e.phase == missing && (isNodeReason(e.reason) || e.reason == Queued)
}

// isNodeReason reports whether a reason is about a node above the minion. It then applies to one
// path to the minion.
func isNodeReason(reason string) bool {
	return reason == NodeDown || reason == NodeNoResponse || reason == NodeRefused
}

// isDirect reports whether m is about a minion of this master. Reasons about nodes never are.
func isDirect(m jobevent.Absence) bool {
	return m.Path == "" && !isNodeReason(m.Reason) && m.Reason != Unknown
}

// Expects reports whether a job is open and a direct minion has not returned, even if it is
// missing: the job may be redelivered.
func (l *ledger) Expects(jid, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil || !j.closed.IsZero() {
		return false
	}
	e := j.entries[id]
	return e != nil && e.direct
}

// ExpectsNode is Expects for a node directly below, true while the job is open. The node may have
// sent its expectation for another master while it was disconnected, and sends returns only to
// masters known to have requested the job.
func (l *ledger) ExpectsNode(jid, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j != nil && j.closed.IsZero() && j.nodes[id] != nil
}

// Redelivered reports that a direct minion is connected and about to receive an open job that it
// missed. It becomes pending and is asked by find_job after one GatherTimeout.
func (l *ledger) Redelivered(jid, id string) {
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
		e.lastSign = l.cfg.Clock.Now().Sub(j.opened)
		l.due(j, e, l.cfg.Clock.Now().Add(l.cfg.GatherTimeout))
	}
	l.arm(j)
	l.finish(j, changes{})
}

// RedeliveredNode is Redelivered for a node directly below. Its expectation is due after Timeout.
func (l *ledger) RedeliveredNode(jid, id string) {
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
	l.finish(j, changes{})
}

// NotDelivered reports whether a minion has certainly not received a job: it was not connected at
// publication, and the job was not redelivered.
func (l *ledger) NotDelivered(jid, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil || j.entries[id] == nil {
		return false
	}
	e := j.entries[id]
	return e.direct && (e.live == Away || e.live == Down)
}

// redeliveredStock is Redelivered for a minion without presence. It is asked by find_job after
// Timeout.
func (l *ledger) redeliveredStock(jid, id string) {
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
		e.lastSign = l.cfg.Clock.Now().Sub(j.opened)
		l.due(j, e, l.cfg.Clock.Now().Add(j.Timeout))
	}
	l.arm(j)
	l.finish(j, changes{})
}

// overdue changes the reason of queued minions to Expired or Dequeued. minions maps ids to paths.
func (l *ledger) overdue(jid, reason string, minions map[string]string) (known bool) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return false
	}
	var n changes
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
