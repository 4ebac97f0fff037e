package engine

import (
	"testing"
	"time"
)

// armed checks that each open job wakes at or before its first deadline: a job that does not may
// never end.
func (l *ledger) armed(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, j := range l.jobs {
		if !j.closed.IsZero() {
			continue
		}
		var first time.Time
		see := func(due time.Time) {
			if !due.IsZero() && (first.IsZero() || due.Before(first)) {
				first = due
			}
		}
		for _, n := range j.nodes {
			see(n.due)
		}
		for _, e := range j.entries {
			if e.phase.pending() {
				see(e.due)
			}
		}
		if !first.IsZero() && (j.timer == nil || j.next.IsZero() || j.next.After(first)) {
			t.Errorf("job %s: its first deadline is %v, it wakes at %v (timer: %v)", j.JID, first, j.next, j.timer != nil)
		}
	}
}
