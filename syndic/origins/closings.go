package origins

import (
	"maps"
	"sync"
)

// The local master keeps closed jobs in mind until the masters above that asked for
// them have taken all that was told of them. Its event salt/job/<jid>/closed comes
// after those words, waits in the queue of each parent behind them, and is never
// sent: when a parent's queue has come to it, the parent has taken what was before.

// Closings counts which parents have taken the words of closed jobs.
type Closings struct {
	most int // jobs beyond which those are forgotten that need not be told any more (bound asked_jobs)
	last func(jid string) (word uint64, marked bool)

	mu    sync.Mutex
	took  map[string]closing
	limit int // when that is looked for the next time
}

type closing struct {
	word  uint64
	addrs map[string]bool
}

// NewClosings knows of no job. last gives the last word of a job that the local master
// keeps in mind; it keeps a bounded number (bound untold_jobs).
func NewClosings(most int, last func(jid string) (uint64, bool)) *Closings {
	return &Closings{most: most, last: last, took: map[string]closing{}, limit: most}
}

// Note enters that a parent took the words of a job up to that one, and tells
// whether all have that have to.
func (c *Closings) Note(jid string, word uint64, addr string, needed []string) (all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.took[jid]
	if t.word > word {
		return false
	}
	if t.word < word {
		if len(c.took) >= c.limit {
			c.forget()
		}
		t = closing{word, map[string]bool{}}
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

// forget lets go of what the local master does not keep in mind any more; c.mu is held.
// All others count still: nobody would tell their words once more.
func (c *Closings) forget() {
	maps.DeleteFunc(c.took, func(jid string, t closing) bool {
		word, marked := c.last(jid)
		//mutant:taken-ends-are-forgotten
		return !marked || word != t.word
	})
	c.limit = max(c.most, 2*len(c.took))
}

// Has tells whether a parent has taken the words of a job up to that one.
func (c *Closings) Has(jid string, word uint64, addr string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.took[jid]
	return t.word == word && t.addrs[addr]
}
