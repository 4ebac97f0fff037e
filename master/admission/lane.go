package admission

import (
	"sync"
	"time"
)

// stale is the wait from which on the newest request is served first: older peers are about to
// time out, so work for them would be wasted.
const stale = 2 * time.Second

// Lane serves expensive requests with a bounded number of workers, so that ten thousand sign-ins
// at once do not delay other requests. It serves in order of arrival while waits are short. Under
// overload it serves the newest first: its peer is still connected, and the others retry, instead
// of all waiting for their time-out.
type Lane struct {
	size int
	wg   sync.WaitGroup

	mu     sync.Mutex
	some   sync.Cond
	jobs   []laneJob // oldest first
	closed bool
}

type laneJob struct {
	run, full func()
	gone      func() bool
	at        time.Time
}

// NewLane starts the workers. At most size requests are queued.
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

// next blocks until there is a request. ok is false when the lane is closed and empty.
func (l *Lane) next() (run func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.jobs) == 0 {
		if l.closed {
			return nil, false
		}
		l.some.Wait()
	}
	// Requests of closed connections are removed first: they would fill the lane.
	//mutant:closed-sign-ins-leave-the-queue,newest-sign-in-first
	if last := len(l.jobs) - 1; time.Since(l.jobs[0].at) > stale && !l.jobs[0].gone() {
		run = l.jobs[last].run
		l.jobs[last] = laneJob{}
		l.jobs = l.jobs[:last]
		return run, true
	}
	return l.oldest().run, true
}

// oldest removes the oldest request. The caller holds l.mu.
func (l *Lane) oldest() laneJob {
	j := l.jobs[0]
	l.jobs[0] = laneJob{}
	if l.jobs = l.jobs[1:]; len(l.jobs) == 0 {
		l.jobs = nil
	}
	return j
}

// Submit queues run. If the queue is full, it drops a request and calls its full: the oldest one if
// that has waited for long, or else the new one. The peer of a dropped request gets no answer and
// retries after its time-out. gone reports whether the peer has disconnected; run is called even
// then, to release the request. Submit does not block.
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

// Depth returns the number of queued requests.
func (l *Lane) Depth() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.jobs)
}

// Close waits for the queued requests. Do not call Submit after it.
func (l *Lane) Close() {
	l.mu.Lock()
	l.closed = true
	l.some.Broadcast()
	l.mu.Unlock()
	l.wg.Wait()
}
