package jobs

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// errBusy is returned for a new job when the minion has as many jobs, running and waiting, as
// it may.
var errBusy = errors.New("the minion holds too many jobs already")

// slots limits how many jobs run at once (process_count_max). Further jobs wait in the order of
// arrival.
type slots struct {
	limit int // no limit if it is not positive
	most  int // jobs that may run or wait

	mu      sync.Mutex
	held    int // jobs that run or wait
	taken   int // slots in use
	waiting []*turn
}

// turn is the place of one job.
type turn struct {
	slots   *slots
	free    bool          // needs no slot
	granted bool          // guarded by slots.mu, like left
	left    bool          //
	ready   chan struct{} // closed when granted
}

func newSlots(limit, most int) *slots { return &slots{limit: limit, most: most} }

// managesJobs are the functions that need no slot, because users inspect and end the running
// jobs with them.
var managesJobs = map[string]bool{
	"saltutil.find_job": true, "saltutil.find_cached_job": true, "saltutil.running": true,
	"saltutil.is_running": true, "saltutil.kill_job": true, "saltutil.kill_all_jobs": true,
	"saltutil.term_job": true, "saltutil.term_all_jobs": true, "saltutil.signal_job": true,
}

// admit assigns a job its place in the order of calls. The caller must call leave.
func (s *slots) admit(fun string) (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held >= s.most {
		return nil, errBusy
	}
	s.held++
	t := &turn{slots: s, ready: make(chan struct{}), free: s.limit <= 0 || managesJobs[fun]}
	s.waiting = append(s.waiting, t)
	s.grant()
	return t, nil
}

// grant starts the jobs that may run; s.mu is held.
func (s *slots) grant() {
	s.waiting = slices.DeleteFunc(s.waiting, func(t *turn) bool {
		switch {
		case t.free:
		case s.taken < s.limit:
			s.taken++
		default:
			return false
		}
		t.granted = true
		close(t.ready)
		return true
	})
}

// wait waits until the job may run.
func (t *turn) wait(ctx context.Context) error {
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave releases the place, whether the job has run or not.
func (t *turn) leave() {
	s := t.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.left {
		return
	}
	t.left = true
	s.held--
	switch {
	case !t.granted:
		s.waiting = slices.DeleteFunc(s.waiting, func(x *turn) bool { return x == t })
	case !t.free:
		s.taken--
	}
	s.grant()
}

// figures returns the number of jobs that run, the number that wait for a slot, and the number
// of slots.
func (s *slots) figures() (running, waiting, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held - len(s.waiting), len(s.waiting), max(s.limit, 0)
}
