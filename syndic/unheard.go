package syndic

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
	l := t.u.l
	const by = "telling sweep"
	t.u.mu.Lock()
	stands := t.lap.Active() && t.u.room() && len(t.kick) == 0
	t.u.mu.Unlock()
	if stands {
		l.s.rescues.Found(by, "jobs that were not told on although there is room", 0, "parent", l.name)
		return // they are now
	}
	was := t.seen
	t.seen = t.look()
	if t.seen.jid == "" || t.seen.jid != was.jid || t.seen.word != was.word {
		return
	}
	t.seen.at = was.at
	l.s.rescues.Found(by, "the end of a job that the master above was not told", time.Since(was.at), "parent", l.name, "jid", was.jid)
	t.begin(true)
}

// look finds the first such job.
func (t *teller) look() unheard {
	u, l := t.u, t.u.l
	idle := func() bool {
		u.mu.Lock()
		defer u.mu.Unlock()
		return l.isUp() && u.urgent.len() == 0 && u.aloft.urgent == 0 && !t.lap.Active()
	}
	if !idle() {
		return unheard{}
	}
	for after := ""; ; {
		jids := l.s.local.OpenJobs(after, l.s.bounds.TellJobs)
		if len(jids) == 0 {
			return unheard{}
		}
		for _, jid := range jids {
			if word, over, heard := t.word(jid); over && !heard && l.concernedBy(jid) && idle() {
				return unheard{jid, word, time.Now()}
			}
		}
		after = slices.Max(jids)
	}
}
