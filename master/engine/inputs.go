package engine

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Expectation is what a node below found when it published the job.
type Expectation struct {
	// Path leads from this master to the node that speaks.
	Path string
	// Minions are its own minions that the target matches.
	Minions []string
	// Away are those of Minions that the node misses at once, as [ledger.reportGone] is told next.
	Away map[string]bool
	// Asked are the ids of the nodes right below it that got the job too.
	Asked []string
	// Moved tells that the minions came to the node while they worked on the job,
	// whatever other nodes say of them.
	Moved bool
	// Partial tells that the node speaks of minions that came to it alone, and not
	// of its own: it is owed still who of those has to answer. So does Moved.
	Partial bool
	// Plain tells that a Python syndic speaks: it cannot name silent minions
	// later, so this master asks them by find_job.
	Plain bool
	// Untracked tells that the node knows all who have to answer but cannot
	// name silent ones later either.
	Untracked bool
	// Part is the publication of the job that the node answers, Parts the last one if it
	// answers all up to that.
	Part, Parts int
}

// expect enters the expectation of a node below. Repeats change nothing. reopened: the
// job was closed, and is taken up again.
func (l *ledger) expect(jid string, x Expectation) (reopened bool) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return false
	}
	now := l.cfg.Clock.Now()
	switch {
	case x.Moved || x.Partial:
	case x.Plain:
		j.setNode(x.Path, jobevent.NodePlain, time.Time{})
	case j.nodes[x.Path] != nil && !j.nodes[x.Path].answers(x): // it was given the job once more meanwhile
	default:
		j.setNode(x.Path, jobevent.NodeAnswered, time.Time{})
	}
	j.hear(x.Path)
	if n := j.nodes[x.Path]; n != nil && !x.Moved && !x.Partial {
		n.said = true
	}
	for _, id := range x.Asked {
		if path := x.Path + "/" + id; j.nodes[path] == nil || x.Part > 0 {
			j.askNode(path, max(x.Part, x.Parts), now.Add(j.Timeout))
		}
	}
	live := Up
	if x.Plain || x.Untracked {
		live = Untracked
	}
	if !x.Moved && !x.Partial && j.Part == 0 { // else it speaks of one publication of several
		j.unpresume(x)
	}
	for _, id := range x.Minions {
		e := j.entries[id]
		j.unhold(id, x.Path)
		switch {
		//mutant:answers-are-remembered
		case e == nil && j.answered(id):
			continue
		case e == nil:
			e = &entry{path: x.Path, live: live}
			j.add(id, e)
		case e.phase == claimable, e.presumed && e.phase.pending():
			e.phase, e.path, e.live, e.due, e.presumed = waiting, x.Path, live, time.Time{}, false
		case x.Moved:
			j.move(id, e, x.Path)
		case e.back(), e.regained(x.Path) && !x.Away[id]:
			// The node came back and speaks for it again, or another one has it.
			e.phase, e.reason, e.path, e.live = waiting, "", x.Path, live
			j.pending++
		default:
			if live == Up {
				j.claim(id, e, x.Path)
			}
			continue
		}
		if live == Untracked {
			l.due(j, e, now.Add(j.Timeout))
		}
	}
	if reopened = !j.closed.IsZero() && (j.pending > 0 || j.owing > 0 && !j.namedDone()); reopened {
		l.reopen(j)
	}
	l.arm(j)
	l.finish(j, news{})
	return reopened
}

// said reports whether the node at path has said who has to answer the job, and all of
// minions are in the account.
func (l *ledger) said(jid, path string, minions []string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil || j.nodes[path] == nil || !j.nodes[path].said {
		return false
	}
	return !slices.ContainsFunc(minions, func(id string) bool { return j.entries[id] == nil && !j.answered(id) })
}

// Counts reports whether an id is in the account of a job: it answers, has answered, or is
// missing.
func (l *ledger) Counts(jid, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j != nil && (j.entries[id] != nil || j.answered(id))
}

// IsNode tells that an id which a Python master counts among its minions is the
// syndic of a further node: it will never answer.
func (l *ledger) IsNode(jid, id string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || j.entries[id] == nil || j.entries[id].direct || !j.entries[id].phase.pending() {
		l.mu.Unlock()
		return
	}
	delete(j.entries, id)
	j.pending--
	l.finish(j, news{})
}

// reopen takes a closed job up again because a node that was given up has
// spoken; it is completed a second time with the whole account.
func (l *ledger) reopen(j *job) {
	j.timer.Stop()
	j.timer, j.next, j.closed = nil, time.Time{}, time.Time{}
}

// returned enters a return. The owner calls it after the commit and after the
// return event was fired, so that Complete is the last word of a job.
func (l *ledger) returned(jid, id, path string, ok bool) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return
	}
	j.hear(path)
	e := j.entries[id]
	if e == nil && j.answered(id) {
		l.finish(j, news{})
		return
	}
	if e == nil { // it answers before its node's expectation is here
		e = &entry{path: path, direct: path == ""}
		j.add(id, e)
	}
	if e.phase == claimable {
		e.path = path
	}
	to := returned
	if !ok {
		to = failed
	}
	j.longest = l.cfg.Clock.Now().Sub(j.opened)
	j.settle(id, e, to, "")
	l.finish(j, news{})
}

// reportGone enters the word of a node below about minions and nodes that will not
// answer; paths are already seen from this master.
func (l *ledger) reportGone(jid string, minions map[string]jobevent.Absence, nodes map[string]jobevent.NodeState) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return
	}
	var n news
	refused := map[string]string{}
	for path, s := range nodes {
		// One that has answered an earlier publication may not get a further one.
		if cur := j.nodes[path]; cur == nil || cur.state == jobevent.NodeAsked || j.Part > 0 && cur.state == jobevent.NodeAnswered && s.Failed() {
			j.setNode(path, s, time.Time{})
			n.node(path, s)
			if _, no := s.Refused(); no {
				refused[path] = NodeRefused
				j.nodes[path].parts = nil // it answers none of those
			}
		}
	}
	l.missBehind(j, refused, &n)
	for id, m := range minions {
		e := j.entries[id]
		if e == nil && j.answered(id) {
			continue
		}
		if e == nil {
			// Of an earlier life of this master, if that.
			//mutant:engine-missing-of-an-earlier-life
			e = &entry{path: m.Path, direct: ofItsOwn(m)}
			j.add(id, e)
		} else if e.direct {
			continue // only this master speaks for its own minions
		} else {
			same := j.unclaimOf(id, m)
			if e.spokenFor(same) || same(e.path) && j.passOn(id, e) {
				continue
			}
		}
		if m.Reason == Unmatched { // its node did not know either
			j.leave(id, e)
			continue
		}
		if l.hold(j, id, m) {
			continue
		}
		e.path = m.Path
		switch {
		case e.phase == missing && e.reason == Queued && m.Reason != Queued:
			e.reason = m.Reason
			n.miss(id, e)
		case j.settle(id, e, missing, m.Reason):
			n.miss(id, e)
		}
	}
	l.finish(j, n)
}

// found enters a minion's answer to find_job.
func (l *ledger) found(jid, id string, running bool) { l.answer(jid, id, running, 0) }

// foundManager is Found for a resource, by the answer of the minion that manages it. The
// minion notes its own run of a job and those on its resources in one place, so that the
// first of them to end makes the answer: the others get a round of find_job to return.
func (l *ledger) foundManager(jid, id string, running bool) {
	l.answer(jid, id, running, l.cfg.GatherTimeout)
}

// answer enters an answer to find_job; if the job does not run, a return has grace at least.
func (l *ledger) answer(jid, id string, running bool, grace time.Duration) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return
	}
	e := j.entries[id]
	if e == nil || (e.phase != asked && e.phase != waiting) {
		l.mu.Unlock()
		return
	}
	now := l.cfg.Clock.Now()
	if e.phase == asked { // once for each question
		j.turns.answered(now.Sub(j.opened), e.sent, l.cfg.FindJobWindow)
	}
	if running {
		e.sign = now.Sub(j.opened)
		l.running(j, e)
	} else {
		// Its return may have crossed the question on the way.
		e.phase = finishing
		l.due(j, e, now.Add(max(grace, e.returnGrace())))
	}
	l.arm(j)
	l.finish(j, news{})
}

// finishGrace is the time a return may still take after its minion has said
// that the job runs no more.
const finishGrace = 2 * time.Second

// retryGrace is the same where the minion sends a return again that was not answered, as
// Salt's do: after 5 to 10 s, the defaults of return_retry_timer and return_retry_timer_max.
// Salt forgets a job when it begins to return, not when the return is taken.
const retryGrace = 10*time.Second + finishGrace

func (e *entry) returnGrace() time.Duration {
	if e.live == Untracked {
		return retryGrace
	}
	return finishGrace
}
