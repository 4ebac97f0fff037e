package engine

import "time"

// A missing minion may come back while it runs a job that is closed and grows later. The closed
// account stays as it is; the reopened one waits for the minion.

// resume records for the closed jobs whether a direct minion runs them, and returns the open ones.
func (l *ledger) resume(id string, running map[string]bool) (open []*job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for jid, j := range l.jobs {
		//mutant:engine-left-again-is-not-waited-for
		if !running[jid] {
			delete(j.resumed, id)
		}
	}
	for jid, runs := range running {
		if j := l.jobs[jid]; runs && j != nil && !j.closed.IsZero() {
			j.resume(id)
		}
	}
	return l.open()
}

// resume records that a direct minion that may be missing runs the closed job.
func (j *job) resume(id string) {
	//mutant:engine-closed-jobs-are-resumed
	if e := j.entries[id]; e != nil && e.direct && e.phase == missing {
		if j.resumed == nil {
			j.resumed = map[string]struct{}{}
		}
		j.resumed[id] = struct{}{}
	}
}

// awaitResumed makes the minions that came back while the job was closed pending again.
func (l *ledger) awaitResumed(j *job) {
	for id := range j.resumed {
		if e := j.entries[id]; e != nil && e.phase == missing {
			e.live, e.doubt = Up, false
			l.back(j, e)
		}
	}
	j.resumed = nil
}

// resumeForgotten makes the direct minions that were not connected and run a job pending again, as
// runs reports. The job was forgotten when they came back. A minion that is missing for another
// reason was asked, and may have announced the job before.
func (l *ledger) resumeForgotten(jid string, runs func(id string) bool) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return
	}
	for id, e := range j.entries {
		//mutant:engine-forgotten-jobs-are-resumed
		if e.direct && e.phase == missing && e.reason == NotConnected && runs(id) {
			e.live, e.doubt = Up, false
			l.back(j, e)
		}
	}
	l.arm(j)
	l.finish(j, changes{})
}

// back makes a missing minion that runs the job pending again.
func (l *ledger) back(j *job, e *entry) {
	e.phase, e.reason = waiting, ""
	j.pending++
	l.runs(j, e)
}

// runs records that a pending minion has said that it runs the job.
func (l *ledger) runs(j *job, e *entry) {
	e.phase, e.due, e.pause = waiting, time.Time{}, 0
	e.lastSign = l.cfg.Clock.Now().Sub(j.opened)
	l.askLater(j, e)
}
