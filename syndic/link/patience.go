package link

import (
	"context"
	"errors"
	"sync"
	"time"
)

// patience is how long a master above may take for a request: short at first, so that a
// connection that leads nowhere costs seconds, and twice as long after each time-out. It
// goes by the kind of request: a master that takes returns slowly answers others at once, and
// returns that are given up too soon are sent, and taken, once more. It is safe for
// concurrent use.
type patience struct {
	longest time.Duration // that a request may take

	mu sync.Mutex
	by map[string]time.Duration // what the last answers of a kind took, twice
}

// begin gives the time that a request may take, at least least. done has to be called with
// how it ended.
func (p *patience) begin(ctx context.Context, kind string, least time.Duration) (_ context.Context, done func(error)) {
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
