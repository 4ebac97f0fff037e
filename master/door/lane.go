package door

import "sync"

// Lane serves expensive requests in the order of their arrival with a bounded
// number of workers, so that ten thousand sign-ins at once delay nobody else.
type Lane struct {
	jobs chan func()
	wg   sync.WaitGroup
}

// NewLane starts the workers. At most size requests wait.
func NewLane(workers, size int) *Lane {
	l := &Lane{jobs: make(chan func(), size)}
	for range workers {
		l.wg.Go(func() {
			for run := range l.jobs {
				run()
			}
		})
	}
	return l
}

// Submit queues run, or calls full when the lane's queue is full. The peer then
// gets no answer and comes back after its own time-out, with jitter.
func (l *Lane) Submit(run, full func()) {
	select {
	case l.jobs <- run:
	default:
		full()
	}
}

// Depth is the number of requests that wait.
func (l *Lane) Depth() int { return len(l.jobs) }

// Close waits for what was submitted. Nothing may be submitted afterwards.
func (l *Lane) Close() {
	close(l.jobs)
	l.wg.Wait()
}
