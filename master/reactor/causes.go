package reactor

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/value"
)

const (
	// maxRounds limits how often a reaction may trigger itself.
	maxRounds = 8
	// maxChain limits the length of a chain of reactions.
	maxChain = 64
	// keptCauses limits the recorded jobs and calls, and the recorded busy minions.
	keptCauses = 20_000
	// afterwards is how long events of a minion still count as caused by a job after its return:
	// events may overtake returns.
	afterwards = 2 * time.Second
	// atLongest is how long a minion that does not return counts as busy.
	atLongest = time.Hour
)

// chain lists the files whose reactions led to something, oldest first.
type chain []string

// rounds counts a file in the chain.
func (c chain) rounds(sls string) (n int) {
	for _, s := range c {
		if s == sls {
			n++
		}
	}
	return n
}

func (c chain) distinct() []string {
	out := slices.Clone(c)
	slices.Sort(out)
	return slices.Compact(out)
}

// Causes records which reactions led to the recent jobs and calls, and which minions are running
// them. It is safe for concurrent use.
type Causes struct {
	now  func() time.Time
	mu   sync.Mutex
	jobs *lru.Guarded[string, *job]   // by jid
	work *lru.Guarded[string, atWork] // by minion: the newest
	said *lru.Guarded[string, atWork] // by tag: of event.send in a reaction
}

// job records the cause of a job or call.
type job struct {
	why chain
	// early holds minions that returned before they were recorded as busy: a minion may be faster
	// than the publisher.
	early map[string]struct{}
	out   bool // the busy minions are recorded
}

type atWork struct {
	jid   string
	why   chain
	until time.Time
}

// NewCauses returns empty Causes.
func NewCauses(now func() time.Time) *Causes {
	return &Causes{
		now: now, jobs: lru.NewGuarded[string, *job](keptCauses, nil),
		work: lru.NewGuarded[string, atWork](keptCauses, nil), said: lru.NewGuarded[string, atWork](keptCauses, nil),
	}
}

// of returns the chain that led to an event; nil if unknown.
func (c *Causes) of(tag string, data *value.Map) chain {
	c.mu.Lock()
	defer c.mu.Unlock()
	if jid := jidOf(tag); jid != "" {
		if j, ok := c.jobs.Get(jid); ok {
			return j.why
		}
		return nil
	}
	for _, w := range []struct {
		in  *lru.Guarded[string, atWork]
		key string
	}{{c.said, tag}, {c.work, data.String("id")}} {
		if a, ok := w.in.Get(w.key); ok && c.now().Before(a.until) {
			return a.why
		}
	}
	return nil
}

// jidOf returns the id of the job or call that an event belongs to, or "".
func jidOf(tag string) string {
	//mutant:reactor-states-have-a-cause
	for _, p := range []string{"salt/job/", "salt/run/", "salt/wheel/", "salt/state_result/"} {
		if _, rest, ok := strings.Cut(tag, p); ok {
			jid, _, _ := strings.Cut(rest, "/")
			return jid
		}
	}
	return ""
}

// begin records the cause of a job or call that is about to start.
func (c *Causes) begin(jid string, why chain) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs.Add(jid, &job{why: why})
}

// Begin records that the call by is about to start a job or another call. Calls without a reaction
// as cause are not recorded.
func (c *Causes) Begin(jid, by string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if j, ok := c.jobs.Get(by); ok {
		c.jobs.Add(jid, &job{why: j.why})
	}
}

// Began records the minions of a job that has started. Jobs without a recorded cause are ignored.
func (c *Causes) Began(jid string, minions []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	j, ok := c.jobs.Get(jid)
	if !ok {
		return
	}
	now := c.now()
	for _, id := range minions {
		//mutant:reactor-minion-at-work
		until := now.Add(atLongest)
		//mutant:reactor-early-return
		if _, back := j.early[id]; back {
			until = now.Add(afterwards)
		}
		c.work.Add(id, atWork{jid, j.why, until})
	}
	j.early, j.out = nil, true
}

// saying records that an event with this tag is about to be fired.
func (c *Causes) saying(tag string, why chain) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said.Add(tag, atWork{why: why, until: c.now().Add(afterwards)})
}

// Returned records that a minion has returned a job and is no longer busy with it.
func (c *Causes) Returned(jid, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.work.Peek(id); ok && a.jid == jid {
		a.until = c.now().Add(afterwards)
		c.work.Add(id, a)
		return
	}
	if j, ok := c.jobs.Peek(jid); ok && !j.out {
		if j.early == nil {
			j.early = make(map[string]struct{})
		}
		j.early[id] = struct{}{}
	}
}
