package engine

import (
	"slices"
	"time"
)

const (
	// staleAfter is the minimum age of a stale job.
	staleAfter = 10 * time.Minute
	// staleFactor is how many times its longest answer a job may take.
	staleFactor = 10
	// staleUnanswered is how long a job without answers may take.
	staleUnanswered = 24 * time.Hour
	// signSlack is the tolerance for an expected sign of life.
	signSlack = 5 * time.Minute
)

// Stale is a job open for longer than expected: direct minions gave no sign of life when due, or
// the other minions answered long ago.
type Stale struct {
	JID, Fun string
	Open     time.Duration // since publication
	Answered int
	Longest  time.Duration // until the last answer; 0: none
	Waiting  int           // pending minions
	Silent   int           // of these, minions without a due sign of life
	For      string        // path of one pending minion
}

// Stale returns the jobs open for too long, the oldest first, at most limit. total is their
// number.
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
			silent := e.direct && open-e.lastSign > 2*max(e.pause, l.cfg.AskConnected)+signSlack
			if silent {
				s.Silent++
			}
			if name := e.pathTo(id); s.For == "" || silent && s.Silent == 1 || !silent && s.Silent == 0 && name < s.For {
				s.For = name
			}
		}
		late := s.Answered > 0 && open > staleFactor*j.longest || s.Answered == 0 && open > staleUnanswered
		if late || s.Silent > 0 {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Stale) int { return int(min(max(b.Open-a.Open, -1), 1)) })
	total = len(out)
	return out[:min(limit, total)], total
}

// pathTo returns the path to a minion.
func (e *entry) pathTo(id string) string {
	if e.path == "" {
		return id
	}
	return e.path + "/" + id
}
