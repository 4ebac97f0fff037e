package batches

import (
	"slices"
	"time"
)

// The reasons of Salt 3008.
const (
	reasonTimeout  = "timeout"
	reasonFailhard = "failhard"
	reasonStop     = "stop"
)

// News is what was heard of the minions of a batch.
type News struct {
	Returned map[string]int    // with the return code
	Gone     map[string]string // those that will not return, with the reason
}

func (n News) empty() bool { return len(n.Returned) == 0 && len(n.Gone) == 0 }

// progress enters news and takes the minions that begin now out of Pending. It is Salt's
// progress_batch, but for two things: a minion is given up when the account of its job says so and
// not by the clock, and with failhard such a minion halts the batch, as with the command that waits.
func (s *State) progress(n News, now time.Time) (begin []string) {
	at := unix(now)
	struck := false
	settle := func(id string) bool {
		if _, known := s.Done[id]; known {
			return false
		}
		if _, known := s.Failed[id]; known {
			return false
		}
		if _, active := s.Active[id]; !active {
			return false // it belongs to another publication of the job
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
	if more := len(s.Active) + len(s.Wait) - s.Size; more > 0 { // returns that came before a restart
		s.Wait = s.Wait[min(more, len(s.Wait)):]
	}
	s.LastProgress = at
	//mutant:batch-failhard
	if s.Failhard && struck {
		s.halt(reasonFailhard)
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

// putBack undoes the beginning of minions whose slice was not published.
func (s *State) putBack(ids []string) {
	for _, id := range ids {
		delete(s.Active, id)
	}
	s.Pending = append(slices.Clone(ids), s.Pending...)
}

func (s *State) halt(reason string) {
	if !s.Halted {
		s.Halted, s.Reason = true, reason
	}
}

// waits is how long the next slot that batch_wait holds stays taken, if a minion waits for it.
func (s *State) waits(now time.Time) (time.Duration, bool) {
	if len(s.Wait) == 0 || len(s.Pending) == 0 || s.Halted {
		return 0, false
	}
	return max(0, time.Duration((s.Wait[0]-unix(now))*float64(time.Second))) + time.Millisecond, true
}
