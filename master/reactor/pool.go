package reactor

import (
	"context"
	"sync"
	"sync/atomic"
)

// pool has a bounded number of workers and a bounded queue before them.
type pool struct {
	threads int
	queue   chan func(ctx context.Context)
	dropped atomic.Uint64
}

func newPool(threads, waiting int) *pool {
	return &pool{threads: max(threads, 1), queue: make(chan func(ctx context.Context), max(waiting, 1))}
}

// run has the workers work until ctx ends. What still waits then is not done.
func (p *pool) run(ctx context.Context, wg *sync.WaitGroup) {
	for range p.threads {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case do := <-p.queue:
					do(ctx)
				}
			}
		})
	}
}

// give has something done; false: as much waits as may.
func (p *pool) give(do func(ctx context.Context)) bool {
	select {
	case p.queue <- do:
		return true
	default:
		//mutant:reactor-queue-bound
		p.dropped.Add(1)
		return false
	}
}

func (p *pool) waiting() int { return len(p.queue) }
