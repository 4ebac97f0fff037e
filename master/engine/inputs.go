package engine

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Expectation is a node's report of who must answer a job.
type Expectation struct {
	// Path leads from this master to the reporting node.
	Path string
	// Minions are the node's own minions that match the target.
	Minions []string
	// Away holds those of Minions that are missing at once. [ledger.reportGone] follows with the
	// reasons.
	Away map[string]bool
	// Asked holds the nodes directly below it that received the job.
	Asked []string
	// Moved means that the minions arrived at the node with the job running. It overrides the
	// reports of other nodes.
	Moved bool
	// Partial means that the report covers adopted minions only. The node's full expectation is
	// still due. The same holds for Moved.
	Partial bool
	// Plain means that a Python syndic reports. It cannot report silent minions later, so this
	// master sends find_job to them.
	Plain bool
	// Untracked means that the node reports all minions but cannot report silent ones later.
	Untracked bool
	// Part is the publication that the node answers; Parts, if set, covers all publications up to
	// it.
	Part, Parts int
}

// expect applies the expectation of a node below. It is idempotent. reopened reports that the job
// was closed and is open again.
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
	case j.nodes[x.Path] != nil && !j.nodes[x.Path].answerPart(x): // a further publication is still unanswered
	default:
		j.setNode(x.Path, jobevent.NodeAnswered, time.Time{})
	}
	j.noteHeard(x.Path)
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
	if !x.Moved && !x.Partial && j.Part == 0 { // with several parts, x covers only one
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
		case e.lostWithNode(), e.regained(x.Path) && !x.Away[id]:
			// The node is back, or another node has the minion.
			e.phase, e.reason, e.path, e.live, e.direct = waiting, "", x.Path, live, false
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
	if reopened = !j.closed.IsZero() && (j.pending > 0 || j.nodesAsked > 0 && !j.namedDone()); reopened {
		l.reopen(j)
	}
	l.arm(j)
	l.finish(j, changes{})
	return reopened
}

// announced reports whether the node at path has sent its expectation and the account has all of
// minions.
func (l *ledger) announced(jid, path string, minions []string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil || j.nodes[path] == nil || !j.nodes[path].said {
		return false
	}
	return !slices.ContainsFunc(minions, func(id string) bool { return j.entries[id] == nil && !j.answered(id) })
}

// Counts reports whether id is in the account of a job, in any state.
func (l *ledger) Counts(jid, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j != nil && (j.entries[id] != nil || j.answered(id))
}

// countsBehind reports whether a job waits for a minion at a path through a node directly below, so
// that the node may report it as missing whoever has it by now.
func (l *ledger) countsBehind(jid, node, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil || j.entries[id] == nil || j.entries[id].direct {
		return false
	}
	through := func(path string) bool { return behind(path, node) }
	return through(j.entries[id].path) || slices.ContainsFunc(j.claims[id], through)
}

// IsNode removes an id that a Python master reports as a minion and that is a syndic: it never
// answers.
func (l *ledger) IsNode(jid, id string) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil || j.entries[id] == nil || j.entries[id].direct || !j.entries[id].phase.pending() {
		l.mu.Unlock()
		return
	}
	delete(j.entries, id)
	j.pending--
	l.finish(j, changes{})
}

// reopen reopens a closed job. It will be completed again. The caller arms its timer. j.next stays:
// deadlines may have been set before the job was reopened.
func (l *ledger) reopen(j *job) {
	j.timer.Stop()
	//mutant:engine-reopened-keeps-deadlines
	j.closed = time.Time{}
	j.timer = nil
	l.awaitResumed(j)
}

// returned counts a return. Call it after the commit and after the event of the return was fired,
// so that Complete is the last report of the job.
func (l *ledger) returned(jid, id, path string, ok bool) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return
	}
	j.noteHeard(path)
	e := j.entries[id]
	if e == nil && j.answered(id) {
		l.finish(j, changes{})
		return
	}
	if e == nil { // its node's expectation is not here yet
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
	l.finish(j, changes{})
}

// reportGone applies a report of minions and nodes that will not answer. Paths start at this
// master. by is the node directly below whose own account misses the minions; "" if it passes on
// what others report. also holds the other paths at which its report makes them missing.
func (l *ledger) reportGone(jid, by string, minions map[string]jobevent.Absence, nodes map[string]jobevent.NodeState) (also missingAt) {
	l.mu.Lock()
	j := l.jobs[jid]
	if j == nil {
		l.mu.Unlock()
		return nil
	}
	var n changes
	also = missingAt{}
	refused := map[string]string{}
	for path, s := range nodes {
		// A node that answered an earlier publication may refuse a further one.
		if cur := j.nodes[path]; cur == nil || cur.state == jobevent.NodeAsked || j.Part > 0 && cur.state == jobevent.NodeAnswered && s.Failed() {
			j.setNode(path, s, time.Time{})
			n.node(path, s)
			if _, no := s.Refused(); no {
				refused[path] = NodeRefused
				j.nodes[path].parts = nil // it will answer none of them
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
			// It may be a report from before a restart.
			//mutant:engine-missing-of-an-earlier-life
			e = &entry{path: m.Path, direct: isDirect(m)}
			j.add(id, e)
		} else if e.direct {
			continue // only this master reports its own minions
		} else {
			through := by
			//mutant:engine-own-minions-are-at-one-path
			if m.Path == by { // its own minion: it does not know whether a node below has it now
				through = ""
			}
			for _, path := range j.otherPaths(id, m.Path, through) {
				also.add(path, id, m.Reason)
			}
			same := j.unclaimOf(id, m, through)
			if e.spokenFor(same) || same(e.path) && j.passOn(id, e) {
				continue
			}
		}
		if m.Reason == Unmatched { // its node did not know the data either
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
	return also
}

// found applies a minion's answer to find_job.
func (l *ledger) found(jid, id string, running bool) { l.answer(jid, id, running, 0) }

// foundManager is found for a resource, answered by its managing minion. The minion tracks its own
// run and those of its resources in one place and answers "not running" as soon as the first ends.
// The others get one more GatherTimeout to return.
func (l *ledger) foundManager(jid, id string, running bool) {
	l.answer(jid, id, running, l.cfg.GatherTimeout)
}

// answer applies an answer to find_job. If the job does not run, the return may take grace or
// longer.
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
	if e.phase == asked { // count each question once
		j.turns.answered(now.Sub(j.opened), e.sent, l.cfg.FindJobWindow)
	}
	if running {
		e.lastSign = now.Sub(j.opened)
		l.running(j, e)
	} else {
		// The return may have crossed the question.
		e.phase = finishing
		l.due(j, e, now.Add(max(grace, e.returnGrace())))
	}
	l.arm(j)
	l.finish(j, changes{})
}

// finishGrace is how long a return may take after find_job answered "not running".
const finishGrace = 2 * time.Second

// retryGrace replaces finishGrace for stock minions, which retry a return after 5 to 10 s
// (return_retry_timer, return_retry_timer_max). Salt forgets a job when it starts to return, not
// when the return is acknowledged.
const retryGrace = 10*time.Second + finishGrace

func (e *entry) returnGrace() time.Duration {
	if e.live == Untracked {
		return retryGrace
	}
	return finishGrace
}
