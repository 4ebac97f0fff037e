package jid

import (
	"strconv"
	"sync"
	"time"
)

// Generator generates unique, increasing job ids. It is safe for concurrent use.
type Generator struct {
	now    func() time.Time
	suffix string

	mu   sync.Mutex
	last time.Time
}

// NewGenerator returns a Generator; now may be nil. If pid > 0, each id ends in "_<pid>", as
// with the option unique_jid.
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

// Next returns a job id above all earlier ones: that of the present time, or one microsecond
// after the last one if the clock has not advanced.
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
