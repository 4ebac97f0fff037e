package master

import "sync"

// lane serves expensive requests in the order of their arrival with a bounded
// number of workers, so that ten thousand sign-ins at once delay nobody else.
type lane struct {
	jobs chan func()
	wg   sync.WaitGroup
}

func newLane(workers, size int) *lane {
	l := &lane{jobs: make(chan func(), size)}
	for range workers {
		l.wg.Go(func() {
			for run := range l.jobs {
				run()
			}
		})
	}
	return l
}

// submit queues run, or calls full when the lane's queue is full. The peer then
// gets no answer and comes back after its own time-out, with jitter.
func (l *lane) submit(run, full func()) {
	select {
	case l.jobs <- run:
	default:
		full()
	}
}

// depth is the number of requests that wait.
func (l *lane) depth() int { return len(l.jobs) }

// close waits for what was submitted. Nothing may be submitted afterwards.
func (l *lane) close() {
	close(l.jobs)
	l.wg.Wait()
}
