package engine

import (
	"slices"
	"time"
)

const (
	// staleAfter is how old a job is at least that is told of as stale.
	staleAfter = 10 * time.Minute
	// staleFactor is how many times longer than its longest answer a job may take.
	staleFactor = 10
	// staleAlone is how long a job may take of which nobody has answered.
	staleAlone = 24 * time.Hour
	// signSlack is how much later than expected a sign of life may be.
	signSlack = 5 * time.Minute
)

// Stale is an open job that takes longer than what is known of it explains: minions of this
// master have given no sign of life for longer than they are asked for one, or others have
// answered long ago.
type Stale struct {
	JID, Fun string
	Open     time.Duration // since it was published
	Answered int
	Longest  time.Duration // the last answer took; 0: there is none
	Waiting  int           // for minions
	Silent   int           // of these, those that gave no sign when they had to
	For      string        // one of those that are waited for, by path
}

// Stale gives the jobs that are open for too long, the oldest first, at most limit of them.
// total counts them all.
func (l *ledger) Stale(limit int) (out []Stale, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.cfg.Clock.Now()
	for _, j := range l.jobs {
		open := now.Sub(j.opened)
		if !j.closed.IsZero() || open < staleAfter || j.pending == 0 {
			continue
		}
		s := Stale{JID: j.JID, Fun: j.Fun, Open: open, Answered: j.good + j.bad, Longest: j.longest, Waiting: j.pending}
		for id, e := range j.entries {
			if !e.phase.pending() {
				continue
			}
			silent := e.direct && open-e.sign > 2*max(e.pause, l.cfg.AskConnected)+signSlack
			if silent {
				s.Silent++
			}
			if name := e.name(id); s.For == "" || silent && s.Silent == 1 || !silent && s.Silent == 0 && name < s.For {
				s.For = name
			}
		}
		late := s.Answered > 0 && open > staleFactor*j.longest || s.Answered == 0 && open > staleAlone
		if late || s.Silent > 0 {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Stale) int { return int(min(max(b.Open-a.Open, -1), 1)) })
	total = len(out)
	return out[:min(limit, total)], total
}

// name is the path to a minion.
func (e *entry) name(id string) string {
	if e.path == "" {
		return id
	}
	return e.path + "/" + id
}
