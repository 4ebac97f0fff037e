package events

import (
	"slices"
	"time"
)

// unreported is the result of the last sweep: a closed job whose end the parent has not accepted
// although nothing is queued.
type unreported struct {
	jid    string // "": none
	report uint64
	at     time.Time
}

// sweep looks for closed jobs whose end the parent has not accepted although nothing is queued or
// in flight. Each round reports the end of each job, so this finds nothing unless something is
// wrong. A job found twice is counted as a rescue, and all jobs are reported again.
func (t *reporter) sweep() {
	w := t.w
	const by = "telling sweep"
	w.mu.Lock()
	stands := t.rotation.Active() && w.room() && len(t.kick) == 0
	w.mu.Unlock()
	if stands {
		t.o.Rescues.Found(by, "a stalled round of job reports", 0, "parent", t.o.Name)
		return // the kick of the sweep has resumed it
	}
	was := t.seen
	t.seen = t.look()
	if t.seen.jid == "" || t.seen.jid != was.jid || t.seen.report != was.report {
		return
	}
	t.seen.at = was.at
	t.o.Rescues.Found(by, "the end of a job not reported to the parent", time.Since(was.at), "parent", t.o.Name, "jid", was.jid)
	t.restart(true)
}

// look returns the first such job.
func (t *reporter) look() unreported {
	w := t.w
	idle := func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return t.o.Parent.IsUp() && w.urgent.len() == 0 && w.inFlight.urgent == 0 && !t.rotation.Active()
	}
	if !idle() {
		return unreported{}
	}
	for after := ""; ; {
		jids := t.o.Local.OpenJobs(after, t.o.Bounds.ReportJobs)
		if len(jids) == 0 {
			return unreported{}
		}
		for _, jid := range jids {
			if word, over, heard := t.lastReport(jid); over && !heard && t.o.Concerned(jid) && idle() {
				return unreported{jid, word, time.Now()}
			}
		}
		after = slices.Max(jids)
	}
}
