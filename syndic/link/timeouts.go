package link

import (
	"context"
	"errors"
	"sync"
	"time"
)

// timeouts holds the timeout of requests by kind. It starts short, so that a dead connection costs
// seconds, and doubles after each timeout: returns given up too early are sent and stored twice.
// Kinds are separate because a master slow at returns answers other requests at once. It is safe
// for concurrent use.
type timeouts struct {
	longest time.Duration // upper limit

	mu sync.Mutex
	by map[string]time.Duration // twice the duration of the last answer
}

// begin returns a context with the timeout for a request of that kind, at least least. The caller
// must call done with the request's error.
func (p *timeouts) begin(ctx context.Context, kind string, least time.Duration) (_ context.Context, done func(error)) {
	p.mu.Lock()
	allowed := max(p.by[kind], least)
	p.mu.Unlock()
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, allowed)
	return ctx, func(err error) {
		late := errors.Is(ctx.Err(), context.DeadlineExceeded)
		took := time.Since(began)
		cancel()
		if err != nil && !late {
			return
		}
		next := 2 * allowed
		if err == nil {
			next = 2 * took
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.by == nil {
			p.by = map[string]time.Duration{}
		}
		p.by[kind] = min(next, p.longest)
	}
}
