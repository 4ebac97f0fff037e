package jid

import (
	"strconv"
	"sync"
	"time"
)

// Generator makes unique, increasing job ids. It is safe for concurrent use.
type Generator struct {
	now    func() time.Time
	suffix string

	mu   sync.Mutex
	last time.Time
}

// NewGenerator makes a Generator; now may be nil. With pid > 0 each id ends in
// "_<pid>", as the option unique_jid wants.
func NewGenerator(now func() time.Time, pid int) *Generator {
	g := &Generator{now: now}
	if now == nil {
		g.now = time.Now
	}
	if pid > 0 {
		g.suffix = "_" + strconv.Itoa(pid)
	}
	return g
}

// Next returns a job id above all that came before: that of the present moment,
// or one microsecond after the last one when the clock has not moved on.
func (g *Generator) Next() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.now().UTC().Truncate(time.Microsecond)
	if !t.After(g.last) {
		t = g.last.Add(time.Microsecond)
	}
	g.last = t
	return New(t) + g.suffix
}
