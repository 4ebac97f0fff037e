package admission

import (
	"sync"
	"time"
)

// stale is the wait from which on the newest request goes first: whoever waits as long
// will soon hang up and come again, so what is done for the oldest would be for nobody.
const stale = 2 * time.Second

// Lane serves expensive requests with a bounded number of workers, so that ten thousand
// sign-ins at once delay nobody else. They are served in the order of their arrival as
// long as that is quick. When it is not, the newest goes first: then each that is served
// is there to hear it, and the others come again, instead of all waiting for their
// time-out.
type Lane struct {
	size int
	wg   sync.WaitGroup

	mu     sync.Mutex
	some   sync.Cond
	jobs   []laneJob // the oldest in front
	closed bool
}

type laneJob struct {
	run, full func()
	gone      func() bool
	at        time.Time
}

// NewLane starts the workers. At most size requests wait.
func NewLane(workers, size int) *Lane {
	l := &Lane{size: size}
	l.some.L = &l.mu
	for range workers {
		l.wg.Go(l.work)
	}
	return l
}

func (l *Lane) work() {
	for {
		run, ok := l.next()
		if !ok {
			return
		}
		run()
	}
}

// next waits for a request; false: the lane is closed and none is left.
func (l *Lane) next() (run func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.jobs) == 0 {
		if l.closed {
			return nil, false
		}
		l.some.Wait()
	}
	// Those who have hung up are let go at once: they would fill the lane.
	//mutant:closed-sign-ins-leave-the-queue,newest-sign-in-first
	if last := len(l.jobs) - 1; time.Since(l.jobs[0].at) > stale && !l.jobs[0].gone() {
		run = l.jobs[last].run
		l.jobs[last] = laneJob{}
		l.jobs = l.jobs[:last]
		return run, true
	}
	return l.oldest().run, true
}

// oldest takes the oldest out; l.mu is held.
func (l *Lane) oldest() laneJob {
	j := l.jobs[0]
	l.jobs[0] = laneJob{}
	if l.jobs = l.jobs[1:]; len(l.jobs) == 0 {
		l.jobs = nil
	}
	return j
}

// Submit queues run, or calls full when the lane's queue is full: that of the oldest, if
// it has waited for long, else its own. That peer then gets no answer and comes back
// after its own time-out, with jitter. gone tells that nobody waits for the answer any
// more: run is called all the same, to let the request go.
func (l *Lane) Submit(run, full func(), gone func() bool) {
	j := laneJob{run, full, gone, time.Now()}
	l.mu.Lock()
	drop := func() {}
	switch {
	case len(l.jobs) < l.size:
		l.jobs = append(l.jobs, j)
	case l.size > 0 && time.Since(l.jobs[0].at) > stale:
		drop = l.oldest().full
		l.jobs = append(l.jobs, j)
	default:
		drop = full
	}
	l.some.Signal()
	l.mu.Unlock()
	drop()
}

// Depth is the number of requests that wait.
func (l *Lane) Depth() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.jobs)
}

// Close waits for what was submitted. Nothing may be submitted afterwards.
func (l *Lane) Close() {
	l.mu.Lock()
	l.closed = true
	l.some.Broadcast()
	l.mu.Unlock()
	l.wg.Wait()
}
