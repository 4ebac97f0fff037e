package engine

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// AccountConfig sets up the account of the jobs. Zero durations mean the defaults.
type AccountConfig struct {
	// GatherTimeout bounds one round of find_job. Default 10 s (Salt's
	// `gather_job_timeout`).
	GatherTimeout time.Duration
	// SyndicWait is how long a job with a Python syndic below is kept open at
	// least, since such a node cannot say that it matches nothing. Default 5 s
	// (Salt's `syndic_wait`).
	SyndicWait time.Duration
	// Lease is the time a minion or node whose connection broke has to come
	// back before those behind it are reported. Default 5 s.
	Lease time.Duration
	// AskConnected is after how long a minion that is connected and announces itself is
	// asked for the first time whether it works on a job, then at twice the intervals up
	// to an hour: what it drops it says by itself, so this is a net. Default 5 min.
	AskConnected time.Duration
	// FindJobWindow is how many minions of a job are asked by find_job at a time; the others
	// wait for their turn. Default 1000.
	FindJobWindow int
	// Linger is how long a closed job stays known, so that late returns find
	// it. Default 60 s.
	Linger time.Duration
	// Clock is what all times are taken from. Default: the machine's.
	Clock Clock
	Hooks Hooks
	// Where tells at which node below a minion is connected just now, by the path
	// from this master, other than the given one. It must neither wait nor call the
	// ledger. nil: that is not known.
	Where func(id, other string) (path string, ok bool)
	// Gone tells of a minion of this master whose time is up whether it is certain that
	// it is not connected, and if not, in how long to look again before it is given up;
	// 0: now. One that is not certainly gone has given no response. It must neither wait
	// nor call the ledger. nil: it is always certain.
	Gone func(id string) (certain bool, again time.Duration)
	// Brought and BroughtBy bound the jobs that are known by [ledger.adopt] alone: all
	// of them, and those that one minion has brought. 0: unbounded.
	Brought, BroughtBy int
}

// Hooks are told what happens, one at a time and in order. They must not call
// the ledger back from the same goroutine.
type Hooks struct {
	// Complete is called once per job, when its account adds up.
	Complete func(Account)
	// Missing is called when minions or nodes are found unable to answer.
	Missing func(jid string, minions map[string]jobevent.Absence, nodes map[string]jobevent.NodeState)
	// FindJob asks the owner to find out whether these minions run the job and
	// to answer by [ledger.found].
	FindJob func(jid string, ids []string)
	// Rescued is told of a connected minion that was waited for since the job was
	// opened, and that the question after AskConnected has ended the wait for, with the
	// reason: it should have said so by itself.
	Rescued func(jid, id, reason string, since time.Duration)
}

// ledger is safe for concurrent use.
type ledger struct {
	cfg AccountConfig

	mu     sync.Mutex
	jobs   map[string]*job
	names  *names
	brings map[string]int // by minion: the jobs known by its word alone
	bring  int            // all of these
	closed bool

	// emit is taken before mu is released, so that hooks see events in the
	// order in which they happened. Lock order: mu, emit.
	emit sync.Mutex
}

// newLedger makes an empty ledger.
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
	return &ledger{cfg: cfg, jobs: map[string]*job{}, brings: map[string]int{}, names: newNames()}
}

// news is what one call found out and the hooks have to hear.
type news struct {
	missing  map[string]jobevent.Absence
	nodes    map[string]jobevent.NodeState
	find     []string
	rescued  []string      // ids
	since    time.Duration // the job was opened before the rescued were looked at
	complete *Account
}

// rescue notes a minion that only the question to the connected has ended the wait for.
func (n *news) rescue(j *job, id string, e *entry, now time.Time) {
	if e.net && e.direct && e.live == Up {
		n.rescued, n.since = append(n.rescued, id), now.Sub(j.opened)
	}
}

func (n *news) miss(id string, e *entry) {
	if n.missing == nil {
		n.missing = map[string]jobevent.Absence{}
	}
	n.missing[id] = jobevent.Absence{Reason: e.reason, Path: e.path}
}

func (n *news) node(path string, s jobevent.NodeState) {
	if n.nodes == nil {
		n.nodes = map[string]jobevent.NodeState{}
	}
	n.nodes[path] = s
}

// finish closes the job if its account adds up, arms its timer otherwise,
// releases mu and tells the hooks. The caller holds mu.
func (l *ledger) finish(j *job, n news) {
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
	if h.Complete != nil && n.complete != nil {
		h.Complete(*n.complete)
	}
}

func (l *ledger) closeIfDone(j *job, n *news) {
	now := l.cfg.Clock.Now()
	held := now.Before(j.holdUntil)
	if !held {
		l.missUnspoken(j, n)
		if j.Everyone {
			j.silence(n)
		}
	}
	if j.owing == 0 && !held && j.unclaimed {
		j.unclaimed = false
		for id, e := range j.entries {
			if e.phase == claimable {
				j.settle(id, e, missing, Unknown)
				n.miss(id, e)
			}
		}
	}
	if !j.Entering && j.growing == 0 && j.pending == 0 && (j.owing == 0 && !held || j.namedDone()) {
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
		l.unbring(j)
		j.forgetAnswers()
	}
}

// openJob enters a job. Opening a jid twice is an error: the job is known already.
// One that is known because of [ledger.adopt] alone is not.
func (l *ledger) openJob(spec Job) error {
	now := l.cfg.Clock.Now()
	j := l.newJob(spec, now)
	var n news
	l.openMinions(j, spec.Minions, now, &n)
	l.openNodes(j, spec.Nodes, spec.Part, now, &n)
	j.name(spec.Unclaimed)
	j.Minions, j.Unclaimed, j.Answers = nil, nil, nil // they are in the entries
	l.mu.Lock()
	old := l.jobs[spec.JID]
	if l.closed || old != nil && !old.adopted {
		l.mu.Unlock()
		return fmt.Errorf("open job %s: a job of that jid is already in the ledger", spec.JID)
	}
	if old != nil {
		l.unbring(old)
		j.succeed(old, now)
	}
	l.jobs[spec.JID] = j
	j.enter(spec.Answers)
	l.arm(j)
	l.finish(j, n)
	return nil
}

// openMinions enters minions of this master that the job is published to.
func (l *ledger) openMinions(j *job, minions []Minion, now time.Time, n *news) {
	for _, m := range minions {
		e := j.entries[m.ID]
		switch {
		case e == nil && j.answered(m.ID), e != nil && e.direct && e.phase.pending():
			continue
		case e != nil && e.phase.pending(): // it was counted behind a node, or was unclaimed
			j.leave(m.ID, e)
		case e != nil:
			delete(j.entries, m.ID)
		}
		e = &entry{direct: true, live: m.Live, unsure: m.Unsure, sign: now.Sub(j.opened)}
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

// name enters ids that the target names and that this master does not have.
func (j *job) name(ids []string) {
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

// openNodes enters nodes right below that one publication of the job goes to.
func (l *ledger) openNodes(j *job, nodes []Node, part int, now time.Time, n *news) {
	gone := map[string]string{}
	for _, nd := range nodes {
		switch nd.Live {
		case Up:
			j.askNode(nd.ID, part, now.Add(j.Timeout))
		case Untracked:
			if old := j.nodes[nd.ID]; old != nil && old.state == jobevent.NodePlain && old.heard {
				old.heard = false // it speaks of each publication
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
			j.nodes[nd.ID].owes(part)
			n.node(nd.ID, jobevent.NodeUnreachable)
			gone[nd.ID] = j.away(NodeDown)
		}
	}
	l.missBehind(j, gone, n) // all others are known to be asked
}

// missBehind names the minions known to sit behind nodes that cannot be reached, that do not
// answer or that refuse the job: roots gives the reason by the path of each.
func (l *ledger) missBehind(j *job, roots map[string]string, n *news) {
	if len(roots) == 0 {
		return
	}
	below := map[string]bool{}
	for path := range roots {
		below[head(path)] = true
	}
	for _, nd := range j.Nodes {
		if below[nd.ID] && nd.Known != nil {
			l.missKnown(j, nd.Known(), roots, n)
		}
	}
}

func (l *ledger) missKnown(j *job, minions, roots map[string]string, n *news) {
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
		if e.direct || e.presumed && e.phase.pending() || e.spokenFor(func(p string) bool { return behind(p, root) }) || l.hold(j, id, m) {
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

// nearest gives the last node on a path that is one of these, with its reason; "" when
// none is.
func nearest(roots map[string]string, path string) (root, reason string) {
	for root = path; root != ""; {
		if reason, ok := roots[root]; ok {
			return root, reason
		}
		root = root[:max(strings.LastIndexByte(root, '/'), 0)]
	}
	return "", ""
}

// State gives the account of a job, open or lately closed.
func (l *ledger) State(jid string) (Account, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	if j == nil {
		return Account{}, false
	}
	return j.account(true), true
}

// Active lists the jids of the open jobs. The hooks have been told of the end of all
// others: they must not call it.
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

// close stops all timers and waits for a hook that is running; the hooks are
// not called any more.
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
