package api

import (
	"context"
	"sync"
	"time"
)

// supply is what many share: requests at work, bytes, logins. Nobody has more than
// a share of it, so that one stranger leaves the rest to others. It is safe for concurrent
// use.
type supply struct {
	all, each int

	mu    sync.Mutex
	taken int
	by    map[string]int // what each has; nobody is in it without any
	freed chan struct{}  // closed when something is given back
}

// newSupply makes a supply of all places, of which one may have each.
func newSupply(all, each int) *supply {
	return &supply{all: all, each: each, by: map[string]int{}, freed: make(chan struct{})}
}

// try takes n places for somebody, or none: false where there are not as many.
func (p *supply) try(who string, n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken+n > p.all || p.by[who]+n > p.each {
		return false
	}
	p.taken += n
	p.by[who] += n
	return true
}

// wait is try that waits for a place, at most so long.
func (p *supply) wait(ctx context.Context, who string, n int, most time.Duration) bool {
	if p.try(who, n) {
		return true
	}
	t := time.NewTimer(most)
	defer t.Stop()
	for {
		p.mu.Lock()
		freed := p.freed
		p.mu.Unlock()
		if p.try(who, n) {
			return true
		}
		select {
		case <-freed:
		case <-t.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// give gives n places back.
func (p *supply) give(who string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= n
	if p.by[who] -= n; p.by[who] <= 0 {
		delete(p.by, who)
	}
	close(p.freed)
	p.freed = make(chan struct{})
}

// held is how many are taken.
func (p *supply) held() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
