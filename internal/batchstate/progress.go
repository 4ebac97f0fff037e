package batchstate

import (
	"slices"
	"time"
)

// Reasons, as in Salt 3008.
const (
	ReasonTimeout  = "timeout"
	ReasonFailhard = "failhard"
	ReasonStop     = "stop"
)

// Outcomes holds the outcomes of minions since the last step.
type Outcomes struct {
	Returned map[string]int    // return codes
	Gone     map[string]string // missing minions with reasons
}

// Empty reports whether nothing has happened.
func (n Outcomes) Empty() bool { return len(n.Returned) == 0 && len(n.Gone) == 0 }

// Progress applies n and removes the minions that start now from Pending. It is Salt's
// progress_batch with two differences: a minion times out by the account of its job instead of a
// clock, and with failhard a timeout halts the batch, as in a waiting command.
func (s *State) Progress(n Outcomes, now time.Time) (begin []string) {
	at := Unix(now)
	struck := false
	settle := func(id string) bool {
		if _, known := s.Done[id]; known {
			return false
		}
		if _, known := s.Failed[id]; known {
			return false
		}
		if _, active := s.Active[id]; !active {
			return false // belongs to another publication of the job
		}
		delete(s.Active, id)
		if s.BatchWait > 0 {
			s.Wait = append(s.Wait, at+s.BatchWait)
		}
		return true
	}
	for id, code := range n.Returned {
		if settle(id) {
			s.Done[id] = code
			struck = struck || code != 0
		}
	}
	for id, why := range n.Gone {
		if settle(id) {
			s.Failed[id] = why
			struck = true
		}
	}
	s.Wait = slices.DeleteFunc(s.Wait, func(until float64) bool { return until <= at })
	for i := range s.Wait {
		s.Wait[i] = min(s.Wait[i], at+s.BatchWait) // the clock was set back
	}
	slices.Sort(s.Wait)
	if more := len(s.Active) + len(s.Wait) - s.Size; more > 0 { // returns from before a restart
		s.Wait = s.Wait[min(more, len(s.Wait)):]
	}
	s.LastProgress = at
	//mutant:batch-failhard
	if s.Failhard && struck {
		s.Halt(ReasonFailhard)
	}
	if s.Halted {
		return nil
	}
	free := min(s.Size-len(s.Active)-len(s.Wait), len(s.Pending))
	if free <= 0 {
		return nil
	}
	begin = slices.Clone(s.Pending[:free])
	s.Pending = slices.Clone(s.Pending[free:])
	for _, id := range begin {
		s.Active[id] = at
	}
	return begin
}

// PutBack undoes the start of minions.
func (s *State) PutBack(ids []string) {
	for _, id := range ids {
		delete(s.Active, id)
	}
	s.Pending = append(slices.Clone(ids), s.Pending...)
}

// Halt ends the batch: no further minion starts. The first reason counts.
func (s *State) Halt(reason string) {
	if !s.Halted {
		s.Halted, s.Reason = true, reason
	}
}

// Waits returns how long the next slot stays blocked by batch_wait, if a minion is pending.
func (s *State) Waits(now time.Time) (time.Duration, bool) {
	if len(s.Wait) == 0 || len(s.Pending) == 0 || s.Halted {
		return 0, false
	}
	return max(0, time.Duration((s.Wait[0]-Unix(now))*float64(time.Second))) + time.Millisecond, true
}
