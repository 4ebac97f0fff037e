package jobs

import (
	"sync"

	"github.com/momtree/mom/internal/lru"
)

// maxKeptReturn bounds the returns that are remembered for a second master.
const maxKeptReturn = 64 << 10

// recent remembers the last jids, so that a job runs once however often and by
// however many masters it is published (minion_jid_queue_hwm). A second master
// that publishes the same job, as two syndics of one top do, gets the return of
// the one run too.
type recent struct {
	mu   sync.Mutex
	jobs *lru.Guarded[string, *recentJob]
}

type recentJob struct {
	done    bool
	stored  bool     // the return is in the outboxes of all who shall get it, or has been
	load    []byte   // the return, once done; nil when it was too large to keep
	masters []Master // who shall get it
}

func newRecent(limit int) *recent {
	return &recent{jobs: lru.NewGuarded[string, *recentJob](limit, nil)}
}

// keep notes that the return of a job is in the outboxes: what remains of the job makes
// no master wait any longer.
func (r *recent) keep(jid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j, ok := r.jobs.Peek(jid); ok {
		j.stored = true
	}
}

// kept tells whether the return of a job is, or was, in the outboxes.
func (r *recent) kept(jid string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs.Peek(jid)
	return ok && j.stored
}

// take reports whether the job is new. For one that is not, and that another
// master published before, it notes from as a receiver of the return or, when the
// job is done, returns what it is to be sent.
func (r *recent) take(jid string, from Master) (fresh bool, load []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j, ok := r.jobs.Peek(jid); ok {
		for _, known := range j.masters {
			if known == from {
				return false, nil
			}
		}
		j.masters = append(j.masters, from)
		return false, j.load
	}
	r.jobs.Add(jid, &recentJob{masters: []Master{from}})
	return true, nil
}

// know enters a job that an earlier life of the minion has begun.
func (r *recent) know(jid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.jobs.Contains(jid) {
		r.jobs.Add(jid, &recentJob{done: true})
	}
}

// has tells whether a job is remembered.
func (r *recent) has(jid string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.jobs.Contains(jid)
}

// forget drops a job that take has noted and that will not run.
func (r *recent) forget(jid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs.Remove(jid)
}

// finish stores the return and says who is to be sent it. own is the master the
// job came from, for a jid that has been forgotten meanwhile.
func (r *recent) finish(jid string, load []byte, own Master) []Master {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs.Peek(jid)
	if !ok {
		return []Master{own}
	}
	j.done = true
	if len(load) <= maxKeptReturn {
		j.load = load
	}
	return append([]Master(nil), j.masters...)
}
