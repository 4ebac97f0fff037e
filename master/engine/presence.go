package engine

import (
	"cmp"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// The ledger turns changes of presence into questions and missing minions.

// withResources returns a minion and its resources.
func (e *Engine) withResources(id string) []string {
	if e.cfg.Resources == nil {
		return []string{id}
	}
	return append([]string{id}, e.cfg.Resources(id)...)
}

// managers replaces resources by their managing minions, which are asked for them.
func (e *Engine) managers(ids []string) []string {
	if e.cfg.Manager == nil {
		return ids
	}
	out := make([]string, 0, len(ids))
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if id = cmp.Or(e.cfg.Manager(id), id); !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// MinionUp reports that a direct minion has connected and which jobs it runs.
func (e *Engine) MinionUp(id string, running map[string]bool) {
	for _, id := range e.withResources(id) {
		e.ledger.minionUp(id, running)
	}
}

// StockUp is MinionUp for a minion without presence.
func (e *Engine) StockUp(id string) {
	for _, id := range e.withResources(id) {
		e.ledger.stockUp(id)
	}
}

// MinionDown reports that a direct minion has disconnected. Its jobs wait for the given time; 0
// means the lease.
func (e *Engine) MinionDown(id string, wait time.Duration) {
	for _, id := range e.withResources(id) {
		e.ledger.minionDown(id, wait)
	}
}

// NodeUp reports that a node directly below has connected.
func (e *Engine) NodeUp(id string) { e.ledger.NodeUp(id) }

// NodeDown reports that a node directly below has disconnected.
func (e *Engine) NodeDown(id string) { e.ledger.NodeDown(id) }

// Found applies a minion's answer to find_job; see [FindJob].
func (e *Engine) Found(jid, id string, running bool) {
	e.ledger.found(jid, id, running)
	for _, res := range e.withResources(id)[1:] {
		e.ledger.foundManager(jid, res, running)
	}
}

// Declined reports that a direct minion declines a job because its own data (grains, pillar or
// both) does not match.
func (e *Engine) Declined(jid, id string, data ...string) { e.ledger.Declined(jid, id, data...) }

// Redelivered reports that a minion is about to receive a job that it missed.
func (e *Engine) Redelivered(jid, id string) { e.ledger.Redelivered(jid, id) }

// RedeliveredNode is Redelivered for a node directly below.
func (e *Engine) RedeliveredNode(jid, id string) { e.ledger.RedeliveredNode(jid, id) }

// RedeliveredStock is Redelivered for a minion without presence.
func (e *Engine) RedeliveredStock(jid, id string) {
	for _, id := range e.withResources(id) {
		e.ledger.redeliveredStock(jid, id)
	}
}

// Overdue reports that minions will not receive a queued job, with the reason. minions maps ids to
// paths.
func (e *Engine) Overdue(jid, reason string, minions map[string]string) {
	defer e.hold(jid)()
	if !e.ledger.overdue(jid, reason, minions) { // the ledger has forgotten the job
		gone := make(map[string]jobevent.Absence, len(minions))
		for id, path := range minions {
			gone[id] = jobevent.Absence{Reason: reason, Path: path}
		}
		e.find(finding{jid: jid, gone: gone})
	}
	e.reportEndAgain(jid)
}

// IsNode removes an id that a Python master reports as a minion and that is a node.
func (e *Engine) IsNode(jid, id string) { e.ledger.IsNode(jid, id) }

// minionUp handles a new presence session of a direct minion. running holds the jobs it runs or
// has not returned. If a pending job is not in it, find_job follows. A missing minion that runs
// the job becomes pending again, in a closed job once that reopens.
func (l *ledger) minionUp(id string, running map[string]bool) {
	for _, j := range l.resume(id, running) {
		l.mu.Lock()
		if !j.closed.IsZero() { // meanwhile
			if running[j.JID] {
				j.resume(id)
			}
			l.mu.Unlock()
			continue
		}
		e := j.entries[id]
		//mutant:engine-at-work-is-waited-for
		back := e != nil && e.phase == missing && running[j.JID]
		if e == nil || !e.direct || !e.phase.pending() && !back {
			l.mu.Unlock()
			continue
		}
		var n changes
		e.live, e.doubt = Up, false
		switch {
		case back:
			l.back(j, e)
		case running[j.JID]:
			l.runs(j, e)
		default:
			e.phase = asked
			l.due(j, e, l.cfg.Clock.Now().Add(l.cfg.GatherTimeout))
			n.find = []string{id}
		}
		l.arm(j)
		l.finish(j, n)
	}
}

// stockUp handles a new connection of a direct minion without presence. It sends find_job for the
// open jobs that waited for its reconnection.
func (l *ledger) stockUp(id string) {
	for _, j := range l.openJobs() {
		l.mu.Lock()
		e := j.entries[id]
		if e == nil || !e.direct || !e.phase.pending() {
			l.mu.Unlock()
			continue
		}
		var n changes
		e.live, e.doubt = Untracked, false
		if e.phase == leased {
			l.ask(j, id, e, &n)
		}
		l.arm(j)
		l.finish(j, n)
	}
}

// minionDown starts the lease of a direct minion in its open jobs. wait 0 means the configured
// lease.
func (l *ledger) minionDown(id string, wait time.Duration) {
	if wait <= 0 {
		wait = l.cfg.Lease
	}
	for _, j := range l.resume(id, nil) {
		l.mu.Lock()
		e := j.entries[id]
		if e == nil || !e.direct || !e.phase.pending() {
			l.mu.Unlock()
			continue
		}
		e.phase, e.doubt = leased, false
		l.due(j, e, l.cfg.Clock.Now().Add(wait))
		l.arm(j)
		l.finish(j, changes{})
	}
}

// NodeDown handles the lost session of a node directly below: the node and the minions behind
// it get a lease.
func (l *ledger) NodeDown(id string) {
	for _, j := range l.openJobs() {
		l.mu.Lock()
		now := l.cfg.Clock.Now()
		if n := j.nodes[id]; n != nil && n.state == jobevent.NodeAsked {
			n.due, n.away = now.Add(l.cfg.Lease), true
			j.wake(n.due)
		}
		j.unclaimBehind(id)
		for _, e := range j.entries {
			if e.phase == waiting && behind(e.path, id) && e.live == Up {
				e.phase = leased
				l.due(j, e, now.Add(l.cfg.Lease))
			}
		}
		l.arm(j)
		l.finish(j, changes{})
	}
}

// NodeUp handles a new session of a node directly below. If it was away, its expectation is due
// after the full timeout and the leases behind it end. If it was not, its deadline stays:
// otherwise every announcement would extend it.
func (l *ledger) NodeUp(id string) {
	for _, j := range l.openJobs() {
		l.mu.Lock()
		now := l.cfg.Clock.Now()
		if n := j.nodes[id]; n != nil && n.state == jobevent.NodeAsked && n.away {
			n.due, n.away = now.Add(j.Timeout), false
			j.wake(n.due)
		}
		for _, e := range j.entries {
			if e.phase == leased && behind(e.path, id) {
				e.phase, e.due = waiting, time.Time{}
			}
		}
		l.arm(j)
		l.finish(j, changes{})
	}
}

// openJobs returns the open jobs, so that callers need not hold the lock.
func (l *ledger) openJobs() []*job {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open()
}

// open is openJobs for a caller that holds l.mu.
func (l *ledger) open() []*job {
	out := make([]*job, 0, len(l.jobs))
	for _, j := range l.jobs {
		if j.closed.IsZero() {
			out = append(out, j)
		}
	}
	return out
}

// firstNode returns the first node of a path.
func firstNode(path string) string {
	id, _, _ := strings.Cut(path, "/")
	return id
}
