package reactor

import (
	"context"
	"sync"
	"sync/atomic"
)

// pool is a limited number of workers with a limited queue.
type pool struct {
	threads int
	queue   chan func(ctx context.Context)
	dropped atomic.Uint64
}

func newPool(threads, waiting int) *pool {
	return &pool{threads: max(threads, 1), queue: make(chan func(ctx context.Context), max(waiting, 1))}
}

// run starts the workers. When ctx ends, queued functions are dropped.
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

// give queues a function. It returns false if the queue is full.
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
