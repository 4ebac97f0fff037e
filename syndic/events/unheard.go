package events

import (
	"slices"
	"time"
)

// unheard is what the last look of a teller has found: the end of a job that the
// parent has not heard although nothing waits for it.
type unheard struct {
	jid  string // "": none
	word uint64
	at   time.Time
}

// sweep looks for jobs whose end the parent has not heard although there is nothing
// that waits or is under way: what is told anew ends with the end of each job, so there
// are none. One that is found twice is counted, and all is told again.
func (t *teller) sweep() {
	w := t.w
	const by = "telling sweep"
	w.mu.Lock()
	stands := t.lap.Active() && w.room() && len(t.kick) == 0
	w.mu.Unlock()
	if stands {
		t.o.Rescues.Found(by, "jobs that were not told on although there is room", 0, "parent", t.o.Name)
		return // they are now
	}
	was := t.seen
	t.seen = t.look()
	if t.seen.jid == "" || t.seen.jid != was.jid || t.seen.word != was.word {
		return
	}
	t.seen.at = was.at
	t.o.Rescues.Found(by, "the end of a job that the master above was not told", time.Since(was.at), "parent", t.o.Name, "jid", was.jid)
	t.begin(true)
}

// look finds the first such job.
func (t *teller) look() unheard {
	w := t.w
	idle := func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return t.o.Parent.IsUp() && w.urgent.len() == 0 && w.aloft.urgent == 0 && !t.lap.Active()
	}
	if !idle() {
		return unheard{}
	}
	for after := ""; ; {
		jids := t.o.Local.OpenJobs(after, t.o.Bounds.TellJobs)
		if len(jids) == 0 {
			return unheard{}
		}
		for _, jid := range jids {
			if word, over, heard := t.word(jid); over && !heard && t.o.Concerned(jid) && idle() {
				return unheard{jid, word, time.Now()}
			}
		}
		after = slices.Max(jids)
	}
}
