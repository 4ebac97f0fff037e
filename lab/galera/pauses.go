//go:build linux

package galera

import (
	"sync"
	"time"
)

// leastPause is the shortest pause that is remembered.
const leastPause = 500 * time.Millisecond

// span is a stretch of time.
type span struct{ from, to time.Time }

func (s span) length() time.Duration { return s.to.Sub(s.from) }
func (s span) meets(o span) bool     { return s.from.Before(o.to) && o.from.Before(s.to) }

// pauses remembers the times in which something that happens all the time did not.
type pauses struct {
	mu   sync.Mutex
	last time.Time
	all  []span
}

// good records that it happened now.
func (p *pauses) good() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.last.IsZero() && now.Sub(p.last) >= leastPause {
		p.all = append(p.all, span{p.last, now})
	}
	p.last = now
}

// longest returns the longest pause; with a span, of those that meet it.
func (p *pauses) longest(during ...span) (d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.all {
		ok := len(during) == 0
		for _, x := range during {
			ok = ok || s.meets(x)
		}
		if ok {
			d = max(d, s.length())
		}
	}
	return d
}
