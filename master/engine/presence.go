package engine

import (
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// minionUp tells that a direct minion holds a new presence session. running
// names the jobs it works on or still owes the return of; a job that it should
// have and does not name is asked for by find_job. One that was given up and is at work
// is waited for again: it came back late, or an earlier life of this master gave it the job.
func (l *ledger) minionUp(id string, running map[string]bool) {
	for _, j := range l.openJobs() {
		l.mu.Lock()
		e := j.entries[id]
		//mutant:engine-at-work-is-waited-for
		back := e != nil && e.phase == missing && running[j.JID]
		if e == nil || !e.direct || !e.phase.pending() && !back {
			l.mu.Unlock()
			continue
		}
		var n news
		e.live, e.doubt = Up, false
		if back {
			e.reason = ""
			j.pending++
		}
		if running[j.JID] {
			e.phase, e.due, e.pause = waiting, time.Time{}, 0
			e.sign = l.cfg.Clock.Now().Sub(j.opened)
			l.askLater(j, e)
		} else {
			e.phase = asked
			l.due(j, e, l.cfg.Clock.Now().Add(l.cfg.GatherTimeout))
			n.find = []string{id}
		}
		l.arm(j)
		l.finish(j, n)
	}
}

// stockUp tells that a direct minion hangs on a new connection which cannot say what
// it works on. Those of its open jobs that waited for it to come back are asked for.
func (l *ledger) stockUp(id string) {
	for _, j := range l.openJobs() {
		l.mu.Lock()
		e := j.entries[id]
		if e == nil || !e.direct || !e.phase.pending() {
			l.mu.Unlock()
			continue
		}
		var n news
		e.live, e.doubt = Untracked, false
		if e.phase == leased {
			l.ask(j, id, e, &n)
		}
		l.arm(j)
		l.finish(j, n)
	}
}

// minionDown tells that the connection of a direct minion broke. Its open jobs
// wait for it so long; 0 is the lease of the configuration.
func (l *ledger) minionDown(id string, wait time.Duration) {
	if wait <= 0 {
		wait = l.cfg.Lease
	}
	for _, j := range l.openJobs() {
		l.mu.Lock()
		e := j.entries[id]
		if e == nil || !e.direct || !e.phase.pending() {
			l.mu.Unlock()
			continue
		}
		e.phase, e.doubt = leased, false
		l.due(j, e, l.cfg.Clock.Now().Add(wait))
		l.arm(j)
		l.finish(j, news{})
	}
}

// NodeDown tells that the connection of a node right below broke.
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
		l.finish(j, news{})
	}
}

// NodeUp tells that a node right below has announced itself. One whose connection was
// away is back: it has the whole timeout for its expectation again, which it sends anew
// by itself, and the leases of what sits behind it end. One that was not away has as
// long as it had: else each announcement would put off the end of its silence.
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
		l.finish(j, news{})
	}
}

// open lists the open jobs without holding the lock while the caller works.
func (l *ledger) openJobs() []*job {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]*job, 0, len(l.jobs))
	for _, j := range l.jobs {
		if j.closed.IsZero() {
			out = append(out, j)
		}
	}
	return out
}

// head gives the first node of a path: the edge of this master it goes over.
func head(path string) string {
	id, _, _ := strings.Cut(path, "/")
	return id
}
