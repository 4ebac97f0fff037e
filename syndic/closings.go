package syndic

import (
	"maps"
	"slices"
	"sync"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
)

// The local master keeps closed jobs in mind until the masters above that asked for
// them have taken all that was told of them. Its event salt/job/<jid>/closed comes
// after those words, waits in the queue of each parent behind them, and is never
// sent: when a parent's queue has come to it, the parent has taken what was before.

// closings counts which parents have taken the words of closed jobs.
type closings struct {
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

// newClosings knows of no job. last gives the last word of a job that the local master
// keeps in mind; it keeps a bounded number (bound untold_jobs).
func newClosings(most int, last func(jid string) (uint64, bool)) *closings {
	return &closings{most: most, last: last, took: map[string]closing{}, limit: most}
}

// closed tells whether an event is one that is meant for the forwarder alone.
func closed(tag string) bool { return kindOf(tag) == jobevent.KindClosed }

// readClosed reads such an event of the local master: a node below has no business with
// it.
func readClosed(e bus.Event) (c jobevent.Closed, ok bool) {
	if e.Origin != "" || !closed(e.Tag) {
		return c, false
	}
	c, err := jobevent.DecodeClosed(jobOf(e.Tag), e.Data)
	return c, err == nil
}

// note enters that a parent took the words of a job up to that one, and tells
// whether all have that have to.
func (c *closings) note(jid string, word uint64, addr string, needed []string) (all bool) {
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
func (c *closings) forget() {
	maps.DeleteFunc(c.took, func(jid string, t closing) bool {
		word, marked := c.last(jid)
		return !marked || word != t.word
	})
	c.limit = max(c.most, 2*len(c.took))
}

func (c *closings) has(jid string, word uint64, addr string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.took[jid]
	return t.word == word && t.addrs[addr]
}

// took hears that l has taken all words before such an event.
func (p *parents) took(l *link, e bus.Event) (c jobevent.Closed, all bool) {
	c, ok := readClosed(e)
	if !ok {
		return c, false
	}
	var needed []string
	asked := p.origins.of(c.JID, "") // nobody: then nobody waits for it either
	for _, other := range p.all() {
		if addr := other.ch.Addr(); slices.Contains(asked, addr) {
			needed = append(needed, addr)
		}
	}
	return c, p.closings.note(c.JID, c.Word, l.ch.Addr(), needed)
}

// retell has a parent told again who has to answer the jobs that it asked for and
// who will not, but for closed ones of which it has heard the end. lost: words of jobs
// are gone, and ends do not count before their jobs were told again.
func (l *link) retell(lost bool) { l.events.teller.begin(lost) }
