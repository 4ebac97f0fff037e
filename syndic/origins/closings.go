package origins

import (
	"maps"
	"sync"
)

// The local master keeps a closed job until all parents that requested it have accepted its
// reports. Its event salt/job/<jid>/closed waits in each parent's queue behind those reports and is
// never sent: when the queue reaches it, the parent has accepted the reports.

// Closings records which parents have accepted the reports of closed jobs. It is safe for
// concurrent use.
type Closings struct {
	most int // above this number, forget drops jobs that the local master no longer keeps (bound asked_jobs)
	last func(jid string) (report uint64, marked bool)

	mu    sync.Mutex
	took  map[string]closing
	limit int // number of jobs at which forget runs next
}

type closing struct {
	report uint64
	addrs  map[string]bool
}

// NewClosings returns an empty record. last returns the number of the last report of a job that the
// local master keeps, which is bounded.
func NewClosings(most int, last func(jid string) (uint64, bool)) *Closings {
	return &Closings{most: most, last: last, took: map[string]closing{}, limit: most}
}

// Note records that a parent has accepted the reports of a job up to that number. all means that
// every parent in needed has.
func (c *Closings) Note(jid string, report uint64, addr string, needed []string) (all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.took[jid]
	if t.report > report {
		return false
	}
	if t.report < report {
		if len(c.took) >= c.limit {
			c.forget()
		}
		t = closing{report, map[string]bool{}}
		c.took[jid] = t
	}
	t.addrs[addr] = true
	for _, a := range needed {
		if !t.addrs[a] {
			return false
		}
	}
	delete(c.took, jid)
	return true
}

// forget drops jobs that the local master no longer keeps; c.mu is held. The others must stay,
// since their reports are not sent again.
func (c *Closings) forget() {
	maps.DeleteFunc(c.took, func(jid string, t closing) bool {
		report, marked := c.last(jid)
		//mutant:taken-ends-are-forgotten
		return !marked || report != t.report
	})
	c.limit = max(c.most, 2*len(c.took))
}

// Has reports whether a parent has accepted the reports of a job up to that number.
func (c *Closings) Has(jid string, report uint64, addr string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.took[jid]
	return t.report == report && t.addrs[addr]
}
