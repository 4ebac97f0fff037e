package jobs

import (
	"slices"
	"sync"

	"github.com/momtree/mom/internal/lru"
)

// maxKeptReturn bounds the size of returns that are kept for a second master.
const maxKeptReturn = 64 << 10

// recent records the last jids, so that a job runs once, however often and by however many
// masters it is published (bound started_jobs). A minion that comes home is given the jobs that
// its master could not deliver and that are still open: it may have run many of them elsewhere.
//
// A second master that publishes one of the last jobs (minion_jid_queue_hwm), such as the second
// of two syndics of one top, gets the return of the one run, too.
type recent struct {
	mu   sync.Mutex
	jobs *lru.Guarded[string, *recentJob]
	last *lru.Guarded[string, *recentJob] // those that have masters
}

type recentJob struct {
	done    bool
	stored  bool     // the return is or was in the outboxes of all masters
	load    []byte   // the return, once done; nil if it is too large to keep
	masters []Master // the masters that get it
}

// newRecent returns a record of the last started jids, with masters and returns of fewer of them.
func newRecent(returns, started int) *recent {
	//mutant:minions-know-what-they-ran-elsewhere
	started = max(returns, started)
	return &recent{
		jobs: lru.NewGuarded[string, *recentJob](started, nil),
		last: lru.NewGuarded(returns, func(_ string, j *recentJob) { j.load, j.masters = nil, nil }),
	}
}

// keep records that the return of a job is in the outboxes, so no master waits for the rest of
// the job.
func (r *recent) keep(jid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j, ok := r.jobs.Peek(jid); ok {
		j.stored = true
	}
}

// kept reports whether the return of a job is, or was, in the outboxes.
func (r *recent) kept(jid string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs.Peek(jid)
	return ok && j.stored
}

// take reports whether the job is new. If another master published it before, take adds from to
// the masters that get the return. If the job is done, it returns the return to send.
func (r *recent) take(jid string, from Master) (fresh bool, load []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j, ok := r.jobs.Peek(jid); ok {
		if slices.Contains(j.masters, from) || !r.last.Contains(jid) {
			return false, nil
		}
		j.masters = append(j.masters, from)
		return false, j.load
	}
	j := &recentJob{masters: []Master{from}}
	r.jobs.Add(jid, j)
	r.last.Add(jid, j)
	return true, nil
}

// know records a job that an earlier run of the minion has started.
func (r *recent) know(jid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.jobs.Contains(jid) {
		r.jobs.Add(jid, &recentJob{done: true})
	}
}

// has reports whether a job is recorded.
func (r *recent) has(jid string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.jobs.Contains(jid)
}

// forget removes a job that take has recorded and that will not run.
func (r *recent) forget(jid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs.Remove(jid)
	r.last.Remove(jid)
}

// finish stores the return and reports which masters get it. own is the master that sent the
// job, used if the jid has been forgotten meanwhile.
func (r *recent) finish(jid string, load []byte, own Master) []Master {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs.Peek(jid)
	if ok {
		j.done = true
	}
	if !ok || !r.last.Contains(jid) {
		return []Master{own}
	}
	if len(load) <= maxKeptReturn {
		j.load = load
	}
	return append([]Master(nil), j.masters...)
}
