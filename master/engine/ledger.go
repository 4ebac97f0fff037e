package engine

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// AccountConfig configures the ledger. Zero durations mean the defaults.
type AccountConfig struct {
	// GatherTimeout bounds a round of find_job. Default 10 s (Salt's `gather_job_timeout`).
	GatherTimeout time.Duration
	// SyndicWait is the minimum time that a job with a Python syndic below stays open: such a node
	// cannot report that it matches nothing. Default 5 s (Salt's `syndic_wait`).
	SyndicWait time.Duration
	// Lease is how long a minion or node may take to reconnect before it is reported. Default 5 s.
	Lease time.Duration
	// AskConnected is the time until find_job goes to a connected minion with presence. Intervals
	// double up to an hour. Such a minion reports what it drops, so this is a safety check.
	// Default 5 min.
	AskConnected time.Duration
	// FindJobWindow is the maximum number of minions of a job in a round of find_job. Default
	// 1000.
	FindJobWindow int
	// Linger is how long a closed job stays known for late returns. Default 60 s.
	Linger time.Duration
	// Clock is the source of time. Default: the system clock.
	Clock Clock
	Hooks Hooks
	// Where returns the path of the node below at which a minion is connected, if it is not other.
	// It must not block or call the ledger. nil: unknown.
	Where func(id, other string) (path string, ok bool)
	// Gone reports whether a direct minion is certainly not connected, and otherwise when to check
	// again; 0: give it up now, as NoResponse. It must not block or call the ledger. nil: always
	// certain.
	Gone func(id string) (certain bool, again time.Duration)
	// MaxAdopted bounds the jobs known through [Engine.Adopt] only, MaxAdoptedPerMinion those that
	// one minion brought. 0: unbounded.
	MaxAdopted, MaxAdoptedPerMinion int
}

// Hooks are called one at a time, in order. They must not call the ledger from the same goroutine.
type Hooks struct {
	// Complete is called each time a job closes.
	Complete func(Account)
	// Missing is called when minions or nodes turn out to be unable to answer.
	Missing func(jid string, minions map[string]jobevent.Absence, nodes map[string]jobevent.NodeState)
	// FindJob sends find_job to minions. Pass the answers to [ledger.found].
	FindJob func(jid string, ids []string)
	// Rescued is called for a connected minion that the safety check after AskConnected found not
	// to run the job. since is the age of the job.
	Rescued func(jid, id, reason string, since time.Duration)
	// TakeOver is called at the end of [Job.StandBy], with the nodes that have not reported.
	TakeOver func(jid string, nodes []string)
}

// ledger holds the accounts of all jobs. It is safe for concurrent use.
type ledger struct {
	cfg AccountConfig

	mu          sync.Mutex
	jobs        map[string]*job
	names       *names
	adoptedBy   map[string]int // adopted jobs, by minion
	adoptedJobs int            // their total
	closed      bool

	// emit is locked before mu is released, so that hooks run in the order of the changes. Lock
	// order: mu, emit.
	emit sync.Mutex
}

// newLedger returns an empty ledger.
func newLedger(cfg AccountConfig) *ledger {
	set := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	set(&cfg.GatherTimeout, 10*time.Second)
	set(&cfg.SyndicWait, 5*time.Second)
	set(&cfg.Lease, 5*time.Second)
	set(&cfg.Linger, time.Minute)
	set(&cfg.AskConnected, 5*time.Minute)
	if cfg.FindJobWindow <= 0 {
		cfg.FindJobWindow = 1000
	}
	if cfg.Clock == nil {
		cfg.Clock = wall{}
	}
	return &ledger{cfg: cfg, jobs: map[string]*job{}, adoptedBy: map[string]int{}, names: newNames()}
}

// changes collects what one call found, for the hooks.
type changes struct {
	missing  map[string]jobevent.Absence
	nodes    map[string]jobevent.NodeState
	find     []string
	rescued  []string      // ids
	since    time.Duration // age of the job when rescued was set
	complete *Account
	takeOver bool
	silent   []string // nodes, if takeOver is set
}

// rescue records a minion that only the safety check found.
func (n *changes) rescue(j *job, id string, e *entry, now time.Time) {
	if e.safetyCheck && e.direct && e.live == Up {
		n.rescued, n.since = append(n.rescued, id), now.Sub(j.opened)
	}
}

func (n *changes) miss(id string, e *entry) {
	if n.missing == nil {
		n.missing = map[string]jobevent.Absence{}
	}
	n.missing[id] = jobevent.Absence{Reason: e.reason, Path: e.path}
}

func (n *changes) node(path string, s jobevent.NodeState) {
	if n.nodes == nil {
		n.nodes = map[string]jobevent.NodeState{}
	}
	n.nodes[path] = s
}

// finish closes the job if it is done, releases l.mu and calls the hooks. The caller holds l.mu.
func (l *ledger) finish(j *job, n changes) {
	if j.closed.IsZero() {
		j.release(&n)
		l.closeIfDone(j, &n)
	}
	l.emit.Lock()
	l.mu.Unlock()
	defer l.emit.Unlock()
	h := l.cfg.Hooks
	if h.Missing != nil && (len(n.missing) > 0 || len(n.nodes) > 0) {
		h.Missing(j.JID, n.missing, n.nodes)
	}
	if h.FindJob != nil && len(n.find) > 0 {
		h.FindJob(j.JID, n.find)
	}
	if h.Rescued != nil {
		for _, id := range n.rescued {
			h.Rescued(j.JID, id, n.missing[id].Reason, n.since)
		}
	}
	if h.TakeOver != nil && n.takeOver {
		h.TakeOver(j.JID, n.silent)
	}
	if h.Complete != nil && n.complete != nil {
		h.Complete(*n.complete)
	}
}

func (l *ledger) closeIfDone(j *job, n *changes) {
	now := l.cfg.Clock.Now()
	held := now.Before(j.holdUntil)
	if !held {
		l.missUnspoken(j, n)
		if j.Everyone {
			j.missSilentNodes(n)
		}
	}
	if j.nodesAsked == 0 && !held && j.unclaimed {
		j.unclaimed = false
		for id, e := range j.entries {
			if e.phase == claimable {
				j.settle(id, e, missing, Unknown)
				n.miss(id, e)
			}
		}
	}
	if !j.Restoring && j.growing == 0 && j.pending == 0 && (j.nodesAsked == 0 && !held || j.namedDone()) {
		j.closed = now
		j.nodesChanged()
		a := j.account(false)
		n.complete = &a
		if j.timer != nil {
			j.timer.Stop()
		}
		j.timer = l.cfg.Clock.AfterFunc(l.cfg.Linger, func() { l.forget(j) })
	}
}

func (l *ledger) forget(j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.jobs[j.JID] == j && j.growing > 0 {
		j.timer = l.cfg.Clock.AfterFunc(l.cfg.Linger, func() { l.forget(j) })
		return
	}
	if l.jobs[j.JID] == j {
		delete(l.jobs, j.JID)
		l.uncountAdopted(j)
		j.forgetAnswers()
	}
}

// openJob opens a job. It returns an error if the jid is known, unless through [ledger.adopt]
// only.
func (l *ledger) openJob(spec Job) error {
	now := l.cfg.Clock.Now()
	j := l.newJob(spec, now)
	var n changes
	l.openMinions(j, spec.Minions, now, &n)
	l.openNodes(j, spec.Nodes, spec.Part, now, &n)
	j.standBy(spec.StandBy, now)
	j.addUnclaimed(spec.Unclaimed)
	j.Minions, j.Unclaimed, j.Answers = nil, nil, nil // now in the entries
	l.mu.Lock()
	old := l.jobs[spec.JID]
	if l.closed || old != nil && !old.adopted {
		l.mu.Unlock()
		return fmt.Errorf("open job %s: jid is already in use", spec.JID)
	}
	if old != nil {
		l.uncountAdopted(old)
		j.succeed(old, now)
	}
	l.jobs[spec.JID] = j
	j.addAnswers(spec.Answers)
	l.arm(j)
	l.finish(j, n)
	return nil
}

// openMinions adds the direct minions of a publication.
func (l *ledger) openMinions(j *job, minions []Minion, now time.Time, n *changes) {
	for _, m := range minions {
		e := j.entries[m.ID]
		switch {
		case e == nil && j.answered(m.ID), e != nil && e.direct && e.phase.pending():
			continue
		case e != nil && e.phase.pending(): // it was behind a node, or unclaimed
			j.leave(m.ID, e)
		case e != nil:
			delete(j.entries, m.ID)
		}
		e = &entry{direct: true, live: m.Live, unsure: m.Unsure, lastSign: now.Sub(j.opened)}
		j.add(m.ID, e)
		if m.Silent != "" {
			j.settle(m.ID, e, missing, m.Silent)
			n.miss(m.ID, e)
			continue
		}
		switch m.Live {
		case Up:
			l.firstQuestion(j, e)
		case Untracked:
			e.doubt = m.Doubt && l.cfg.Gone != nil
			l.due(j, e, now.Add(j.Timeout))
		case Away, Down:
			if m.Live == Away && m.Grace > 0 {
				e.phase = leased
				l.due(j, e, now.Add(m.Grace))
				continue
			}
			j.settle(m.ID, e, missing, j.away(NotConnected))
			n.miss(m.ID, e)
		}
	}
}

// addUnclaimed adds ids that the target names and this master does not have.
func (j *job) addUnclaimed(ids []string) {
	for _, id := range ids {
		switch e := j.entries[id]; {
		case e == nil && j.answered(id):
		case e == nil:
			j.add(id, &entry{phase: claimable})
			j.unclaimed = true
		case e.presumed:
			e.listed = true
		}
	}
}

func (l *ledger) newJob(spec Job, now time.Time) *job {
	if spec.Timeout <= 0 {
		spec.Timeout = 5 * time.Second
	}
	return &job{
		Job: spec, opened: now, names: l.names, done: set{},
		entries: make(map[string]*entry, len(spec.Minions)),
		nodes:   make(map[string]*nodeEntry, len(spec.Nodes)),
	}
}

// openNodes adds the nodes that receive a publication.
func (l *ledger) openNodes(j *job, nodes []Node, part int, now time.Time, n *changes) {
	gone := map[string]string{}
	for _, nd := range nodes {
		switch nd.Live {
		case Up:
			j.askNode(nd.ID, part, now.Add(j.Timeout))
		case Untracked:
			if old := j.nodes[nd.ID]; old != nil && old.state == jobevent.NodePlain && old.heard {
				old.heard = false // it reports for each publication
				j.unheard++
			}
			j.setNode(nd.ID, jobevent.NodePlain, time.Time{})
			j.holdUntil = now.Add(l.cfg.SyndicWait)
			j.wake(j.holdUntil)
			if j.Named > 0 && nd.Known != nil {
				l.presume(j, nd.Known(), now)
			}
		case Away, Down:
			if nd.Live == Away && nd.Grace > 0 {
				j.askNode(nd.ID, part, now.Add(nd.Grace))
				j.nodes[nd.ID].away = true
				continue
			}
			j.setNode(nd.ID, jobevent.NodeUnreachable, time.Time{})
			j.nodes[nd.ID].expectPart(part)
			n.node(nd.ID, jobevent.NodeUnreachable)
			gone[nd.ID] = j.away(NodeDown)
		}
	}
	l.missBehind(j, gone, n) // after the other nodes are marked as asked
}

// missBehind marks the minions known behind failed nodes as missing. roots maps the path of each
// node to the reason.
func (l *ledger) missBehind(j *job, roots map[string]string, n *changes) {
	if len(roots) == 0 {
		return
	}
	below := map[string]bool{}
	for path := range roots {
		below[firstNode(path)] = true
	}
	for _, nd := range j.Nodes {
		if below[nd.ID] && nd.Known != nil {
			l.missKnown(j, nd.Known(), roots, n)
		}
	}
}

func (l *ledger) missKnown(j *job, minions, roots map[string]string, n *changes) {
	for id, path := range minions {
		root, reason := nearest(roots, path)
		if root == "" {
			continue
		}
		e := j.entries[id]
		switch {
		case e == nil && j.answered(id):
			continue
		case e == nil:
			e = &entry{path: path}
			j.add(id, e)
		}
		m := jobevent.Absence{Reason: reason, Path: path}
		gone := func(p string) bool { return behind(p, root) }
		j.drop(id, gone)
		//mutant:engine-silent-node-passes-on
		if e.direct || e.presumed && e.phase.pending() || e.spokenFor(gone) || j.passOn(id, e) || l.hold(j, id, m) {
			continue
		}
		if e.phase == claimable {
			e.path = path
		}
		if j.settle(id, e, missing, m.Reason) {
			n.miss(id, e)
		}
	}
}

// nearest returns the last node on path that is in roots, with its reason, or "".
func nearest(roots map[string]string, path string) (root, reason string) {
	for root = path; root != ""; {
		if reason, ok := roots[root]; ok {
			return root, reason
		}
		root = root[:max(strings.LastIndexByte(root, '/'), 0)]
	}
	return "", ""
}

// State returns the account of a job, open or recently closed.
func (l *ledger) State(jid string) (Account, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil {
		return Account{}, false
	}
	return j.account(true), true
}

// Active returns the open jobs. The hooks have run for all closed ones, so a hook must not call
// it.
func (l *ledger) Active() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.emit.Lock()
	defer l.emit.Unlock()
	var out []string
	for jid, j := range l.jobs {
		if j.closed.IsZero() {
			out = append(out, jid)
		}
	}
	return out
}

// close stops all timers and waits for a running hook. No hook runs afterwards.
func (l *ledger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.emit.Lock()
	defer l.emit.Unlock()
	for jid, j := range l.jobs {
		if j.timer != nil {
			j.timer.Stop()
		}
		j.nodesChanged()
		delete(l.jobs, jid)
	}
}
