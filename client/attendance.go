package client

import "time"

// maxNamed is how many minions may be added to those that the master named in its answer, by events
// that name them or by their returns.
const maxNamed = 1 << 16

// waits holds how long the client waits for the minions of a job.
type waits struct {
	timeout time.Duration // Salt's timeout: for a return
	answers time.Duration // gather_job_timeout: for an answer to find_job
	syndics time.Duration // syndic_wait of a master with order_masters, otherwise 0
}

// attendance decides when a job is complete at a master that does not report it. It follows the
// rules of Salt's own client: minions that have not returned within the timeout are asked whether
// they run the job (saltutil.find_job), in rounds. A job is complete when no minion is left that
// runs it or has not been asked. attendance reads no clock and is not safe for concurrent use.
type attendance struct {
	waits
	began   time.Time
	only    map[string]bool // the ids that the target names; nil if it does not name them
	unknown []string        // listed ids that the master does not know
	minions map[string]*attendant

	named            int // minions that the master did not name in its answer
	open             int // expected and not returned
	live             int // open, and running the job or not asked in the last round
	returned, failed int

	rounds   int
	asking   bool      // a round is being published
	gathered time.Time // end of the last round
	wake     time.Time // no minion is due before
}

// attendant is a minion that is expected or has returned.
type attendant struct {
	returned, live bool
	due            time.Time // when it may be asked
}

// newAttendance begins with the master's answer to a publication. only are the ids that the target
// names; nil if it does not name them.
func newAttendance(p Published, only []string, w waits, now time.Time) *attendance {
	a := &attendance{waits: w, began: now, unknown: p.Missing, minions: make(map[string]*attendant, len(p.Minions)), wake: now.Add(w.timeout)}
	if only != nil {
		a.only = make(map[string]bool, len(only))
		for _, id := range only {
			a.only[id] = true
		}
	}
	for _, id := range p.Minions {
		if a.minions[id] == nil {
			a.add(id, now)
		}
	}
	return a
}

func (a *attendance) add(id string, now time.Time) {
	a.minions[id] = &attendant{live: true, due: now.Add(a.timeout)}
	a.open++
	a.live++
}

// expect adds minions that an event names and returns those that are new. It ignores ids that are
// not in the target, and all beyond [maxNamed].
func (a *attendance) expect(ids []string, now time.Time) (fresh []string) {
	for _, id := range ids {
		if a.minions[id] != nil || a.only != nil && !a.only[id] {
			continue
		}
		//mutant:named-minions-are-bounded
		if a.named >= maxNamed {
			break
		}
		a.named++
		a.add(id, now)
		fresh = append(fresh, id)
	}
	return fresh
}

// accept counts a return. It reports whether it is the first one of its minion and not beyond
// [maxNamed].
func (a *attendance) accept(r *Return) bool {
	m := a.minions[r.ID]
	switch {
	case m == nil && a.named >= maxNamed, m != nil && m.returned:
		return false
	case m == nil:
		a.named++
		a.minions[r.ID] = &attendant{returned: true}
	default:
		m.returned = true
		a.open--
		if m.live {
			a.live--
		}
	}
	if r.Success && r.Retcode == 0 {
		a.returned++
	} else {
		a.failed++
	}
	return true
}

// next returns what to do: the job is complete, the minions ids must be asked, or else nothing
// until the given time, which is zero while a round is being published.
func (a *attendance) next(now time.Time) (complete bool, ids []string, until time.Time) {
	switch settled := a.settled(); {
	case a.open == 0 && now.Before(settled):
		return false, nil, settled
	case a.open == 0:
		return true, nil, now
	case a.asking:
		return false, nil, time.Time{}
	case now.Before(a.gathered):
		return false, nil, a.gathered
	case a.live == 0:
		return true, nil, now
	case now.Before(a.wake):
		return false, nil, a.wake
	}
	var first time.Time
	for id, m := range a.minions {
		if m.returned {
			continue
		}
		ids = append(ids, id)
		if m.live && (first.IsZero() || m.due.Before(first)) {
			first = m.due
		}
	}
	if now.Before(first) {
		a.wake = first
		return false, nil, first
	}
	return false, ids, now
}

// settled returns when syndics have had the time to name their minions.
func (a *attendance) settled() time.Time {
	switch {
	case a.syndics == 0:
		return a.began
	case len(a.minions) == 0:
		return a.began.Add(max(a.syndics, a.timeout))
	}
	return a.began.Add(a.syndics)
}

// ask begins a round: all open minions are asked.
func (a *attendance) ask() {
	a.rounds++
	a.asking, a.live = true, 0
	for _, m := range a.minions {
		m.live = false
	}
}

// gather waits for the answers of a round that was published, or could not be.
func (a *attendance) gather(now time.Time) {
	a.asking = false
	a.gathered = now.Add(a.answers + a.syndics)
	a.wake = a.gathered
}

// runs notes that a minion runs the job. A minion that nobody has named is expected from now on.
func (a *attendance) runs(id string, now time.Time) {
	m := a.minions[id]
	switch {
	case m == nil:
		a.expect([]string{id}, now)
		return
	case m.returned:
		return
	case !m.live:
		m.live = true
		a.live++
	}
	m.due = now.Add(a.timeout)
}

// again discards a round whose answers were lost: all open minions are asked once more, after the
// timeout.
func (a *attendance) again(now time.Time) {
	a.asking, a.live, a.gathered, a.wake = false, 0, time.Time{}, now.Add(a.timeout)
	for _, m := range a.minions {
		if !m.returned {
			m.live, m.due = true, a.wake
			a.live++
		}
	}
}

// Reasons of missing minions, as of mom's masters.
const (
	noResponse   = "No response"
	noSuchMinion = "No such minion"
)

// account returns the account of the job as it is now.
func (a *attendance) account(jid string, now time.Time) *Account {
	out := &Account{
		JID: jid, Returned: a.returned, Failed: a.failed, Judged: true, Took: now.Sub(a.began),
		Missing: map[string]Missing{}, Reasons: map[string]int{}, Nodes: map[string]string{},
	}
	for id, m := range a.minions {
		if !m.returned {
			out.Missing[id] = Missing{Reason: noResponse}
		}
	}
	why := noSuchMinion
	if a.syndics > 0 { // a syndic may have it
		why = noResponse
	}
	for _, id := range a.unknown {
		if a.minions[id] == nil {
			out.Missing[id] = Missing{Reason: why}
		}
	}
	for _, m := range out.Missing {
		out.Reasons[m.Reason]++
	}
	out.Expected = out.Returned + out.Failed + len(out.Missing)
	return out
}
