package swarm

import (
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
)

// keptJobs is how many jobs have an account of their own in the report. Older ones count in
// the totals.
const keptJobs = 1000

// Job is the account of one jid in a swarm.
type Job struct {
	JID, Fun string

	mu       sync.Mutex
	inquiry  bool   // the account of all find_job queries; it counts no doubles
	took     bitset // minions that received it
	acked    bitset
	first    time.Time // first receipt
	last     time.Time // last acknowledgement
	times    histogram // from receipt to acknowledgement
	received int       // publications received, including repeats of a minion
	acks     int
	lost     int   // returns given up
	doubled  int   // minions that ran it a second time
	passed   int   // publications skipped because the minion knew the jid
	retried  int   // requests sent again
	silent   int   // minions that received it and must not answer, or died before they did
	work     *work // files and pillars fetched for it; nil: none
}

// bitset is a set of minions.
type bitset []uint64

// add adds i and reports whether it was new.
func (b *bitset) add(i int) bool {
	for len(*b) <= i/64 {
		*b = append(*b, 0)
	}
	was := (*b)[i/64]
	(*b)[i/64] |= 1 << (i % 64)
	return was != (*b)[i/64]
}

func (j *Job) took1(i int, at time.Time, silent bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.first.IsZero() {
		j.first = at
	}
	j.received++
	if silent {
		j.silent++
	}
	if !j.took.add(i) && !j.inquiry {
		j.doubled++
	}
}

func (j *Job) passedOver() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.passed++
}

func (j *Job) retry() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.retried++
}

// fell records that a minion died before its return was acknowledged.
func (j *Job) fell() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.silent++
}

// done records the outcome of a return.
func (j *Job) done(i int, heard, now time.Time, acknowledged bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !acknowledged {
		j.lost++
		return
	}
	j.acks++
	j.acked.add(i)
	j.last = now
	j.times.add(now.Sub(heard))
}

// jobs are the jobs that a swarm has received.
type jobs struct {
	mu    sync.Mutex
	byJID *lru.Guarded[string, *Job]
	gone  Totals // of jobs that were removed
	// inquiries counts all saltutil.find_job together: a master queries each stock minion
	// that connects.
	inquiries Job
}

func newJobs() *jobs {
	js := &jobs{inquiries: Job{Fun: findJobFun, inquiry: true}}
	js.byJID = lru.NewGuarded(keptJobs, func(_ string, old *Job) { js.gone.add(old.report()) })
	return js
}

const findJobFun = "saltutil.find_job"

func (js *jobs) get(jid, fun string) *Job {
	if fun == findJobFun {
		return &js.inquiries
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	if j, ok := js.byJID.Peek(jid); ok {
		return j
	}
	j := &Job{JID: jid, Fun: fun}
	js.byJID.Add(jid, j)
	return j
}
