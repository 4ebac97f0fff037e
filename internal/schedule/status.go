package schedule

import "time"

// Status describes a job and its runs.
type Status struct {
	// Key is the job's key in the option, Name its name.
	Key, Name string
	// Next is the next run by the wall clock; zero means never.
	Next time.Time
	// Splay is the random delay in Next, drawn shortly before the run.
	Splay time.Duration
	// Every is the interval; 0 means that the job is due by the wall clock.
	Every time.Duration
	// Last is the time of the last run; zero means that it has not run.
	Last time.Time
	// Skipped is Salt's reason why the job did not run when it was last due; "" if it did.
	Skipped   string
	SkippedAt time.Time
	Running   int
	Enabled   bool
	// Looked reports whether a tick has evaluated the job.
	Looked bool
}

// Statuses returns the status of all jobs, in their order.
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
