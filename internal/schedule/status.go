package schedule

import "time"

// Status is how a job stands.
type Status struct {
	// Key is its key in the option, Name the one it goes by.
	Key, Name string
	// Next is when it is to run by the wall clock; zero: not any more.
	Next time.Time
	// Splay is the part of Next that is a chance delay, drawn when it comes near.
	Splay time.Duration
	// Every is the time between two runs; 0: it goes by the wall clock.
	Every time.Duration
	// Last is when it ran; zero: it has not.
	Last time.Time
	// Skipped is why it did not run when it was due last, in Salt's words; "": it did.
	Skipped   string
	SkippedAt time.Time
	Running   int
	Enabled   bool
	// Looked tells whether it was asked at any tick yet if it is due.
	Looked bool
}

// Statuses tells how all jobs stand, in their order.
func (t *Table) Statuses(now Moment) []Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]Status, 0, len(t.entries))
	for _, e := range t.entries {
		s := Status{
			Key: e.key, Name: e.Name, Splay: e.delay, Every: e.every, Last: e.last,
			Skipped: e.skipped, SkippedAt: e.skippedAt, Running: t.running[e.Name], Enabled: t.enabled && e.Enabled, Looked: e.looked,
		}
		switch {
		case e.trigger != nil && !e.next.IsZero():
			s.Next = e.next.Add(e.delay)
		case e.every > 0:
			s.Next = now.Wall.Add(e.age + e.delay - now.Age)
		}
		if len(e.runAt) > 0 && (s.Next.IsZero() || e.runAt[0].Before(s.Next)) {
			s.Next, s.Splay = e.runAt[0], 0
		}
		out = append(out, s)
	}
	return out
}
