package engine

import (
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Liveness is the presence of a peer.
type Liveness int

// Liveness values. The zero value makes no assumption.
const (
	// Untracked peers cannot report what they run: Python minions and syndics, whether or not they
	// are connected.
	Untracked Liveness = iota
	// Up peers have a presence session on a live connection.
	Up
	// Away peers lost their session recently and may come back.
	Away
	// Down peers are known to be gone.
	Down
)

// Minion is a direct minion that matches the target.
type Minion struct {
	ID   string
	Live Liveness
	// Grace is how long an Away minion may take to come back. 0: a disconnected minion cannot
	// receive the job.
	Grace time.Duration
	// Doubt means that an Untracked minion may not be connected. The ledger checks once a second
	// until it is certain.
	Doubt bool
	// Unsure means that the minion may not match. It leaves the account if it declines.
	Unsure bool
	// Silent is the reason why the minion receives the job and returns nothing, or "".
	Silent string
}

// Node is a syndic directly below this master.
type Node struct {
	ID   string
	Live Liveness
	// Grace is how long an Away node may take to come back and receive the job. 0: a disconnected
	// node cannot receive it.
	Grace time.Duration
	// Known returns the minions known to match behind the node, with their paths. They become
	// missing if the node, or one behind it, is down, silent or refuses the job. Named minions
	// behind a Python syndic become pending. It is called only then, since in a large tree it
	// costs more than the job. It must not call the ledger. nil: none are known.
	Known func() map[string]string
}

// Job describes a job to open.
type Job struct {
	JID     string
	Fun     string
	Minions []Minion
	Nodes   []Node
	// Unclaimed holds ids that the target names and this master does not have. They become missing
	// as [Unknown] unless a node below claims them.
	Unclaimed []string
	// Named is the number of minions that the target lists, 0 for a pattern. When all of them have
	// answered, the job closes without waiting for nodes.
	Named int
	// Everyone means that the target matches every minion. A Python syndic that sends nothing
	// within syndic_wait is then silent; for any other target it may have no match.
	Everyone bool
	// ByData means that the target uses grains or pillar. A minion whose data differs from this
	// master's copy may ignore the job, so all pending minions are asked by find_job after
	// Timeout.
	ByData bool
	// Part is the newest publication of the job; see [returners.Part].
	Part int
	// Timeout is how long an untracked minion may take before find_job, and a node before its
	// expectation is overdue. Default 5 s (Salt's `timeout`).
	Timeout time.Duration
	// Queue means that minions that are away receive the job when they return. They are missing as
	// [Queued].
	Queue bool
	// Answers are returns already stored. Their minions need not be in Minions.
	Answers []Answer
	// Restoring keeps the job open until [ledger.restored].
	Restoring bool
	// StandBy means that another top publishes the job. This master waits that long for the
	// reports of its nodes and then emits [TakeOver]. 0: this master publishes the job.
	StandBy time.Duration
}

type phase uint8

const (
	waiting   phase = iota // due, if set: next find_job
	asked                  // due: end of the round
	finishing              // find_job answered "not running"; the return may be under way
	leased                 // due: end of the lease
	claimable              // named by the target; no node has claimed it
	returned
	failed
	missing
)

func (p phase) pending() bool { return p <= claimable }

type entry struct {
	phase  phase
	live   Liveness // Untracked: asked by find_job
	direct bool
	// presumed: known behind a Python syndic that has sent nothing for this job
	presumed    bool
	listed      bool // presumed, and named by the target
	unsure      bool // may not match the target
	doubt       bool // may not be connected; due is the next check, until the deadline
	path        string
	due         time.Time     // zero: no deadline
	pause       time.Duration // until the next find_job; 0 if Up: redelivered
	safetyCheck bool          // the last find_job was the safety check of a connected minion
	unanswered  uint8         // consecutive unanswered questions
	lastSign    time.Duration // since the job opened
	sent        time.Duration // since the job opened
	until       time.Time     // deadline of an entry in doubt
	reason      string
}

type nodeEntry struct {
	state jobevent.NodeState
	heard bool // sent a report or return of the job
	said  bool // sent its expectation
	away  bool // not connected; due: end of its grace
	due   time.Time
	parts []int // parts whose expectation is due
}

// job is an open or recently closed job. The ledger's lock guards it.
type job struct {
	Job
	opened, closed time.Time
	names          *names
	done           set                   // who has answered
	entries        map[string]*entry     // pending and missing minions
	most           int                   // largest number of entries since the map was made
	nodes          map[string]*nodeEntry // by path
	pending        int                   // entries not yet settled
	nodesAsked     int                   // nodes whose expectation is due
	unheard        int                   // Python syndics that have sent nothing
	unclaimed      bool                  // some entries may be claimable
	unspoken       bool                  // missUnspoken has run
	claims         map[string][]string   // by minion: other nodes that count it
	held           map[string]held       // by minion: reports held back
	heldFor        map[string][]string   // by path: minions whose held reports wait for that node
	unqueued       bool                  // queueing has ended
	growing        int                   // publications being prepared
	resumed        map[string]struct{}   // missing minions that came back with the closed job
	changedNodes   []string              // nodes whose state changed since the last release
	changed        chan struct{}         // closed when a node's state changes; nil: no reader
	adopted        bool                  // known by adopted minions only
	adoptedFrom    string                // first adopted minion
	good, bad      int
	longest        time.Duration // time from opening to the last answer
	holdUntil      time.Time     // open until then, for Python syndics
	takeOver       time.Time     // deadline of the top that publishes the job; zero: none
	turns          turns         // paces find_job
	looks          int           // visits of nodes and held reports; for tests
	next           time.Time     // deadline of the timer; zero: none
	timer          Timer
}

func (j *job) add(id string, e *entry) {
	j.entries[id] = e
	if e.phase.pending() {
		j.pending++
	}
}

// namedDone reports whether all named minions have answered.
func (j *job) namedDone() bool { return j.Named > 0 && j.good+j.bad >= j.Named }

// noteHeard records that the node at path, or one behind it, has reported.
func (j *job) noteHeard(path string) {
	if n := j.nodes[firstNode(path)]; n != nil && !n.heard {
		n.heard = true
		j.nodesChanged()
		if n.state == jobevent.NodePlain {
			j.unheard--
		}
	}
}

// missSilentNodes marks the Python syndics that have sent nothing as silent.
func (j *job) missSilentNodes(n *changes) {
	//mutant:return-skips-silent-nodes
	if j.unheard == 0 { // called with each return; there may be thousands of nodes
		return
	}
	j.unheard = 0
	j.looks += len(j.nodes)
	for path, nd := range j.nodes {
		if nd.state == jobevent.NodePlain && !nd.heard {
			nd.state = jobevent.NodeSilent
			j.nodesChanged()
			n.node(path, jobevent.NodeSilent)
		}
	}
}

// settle moves a pending or missing entry to a final phase and reports whether it changed. A
// return counts even after the minion became missing.
func (j *job) settle(id string, e *entry, to phase, reason string) bool {
	if e.phase == returned || e.phase == failed || (e.phase == missing && to == missing) {
		return false
	}
	if e.phase.pending() {
		j.pending--
	}
	e.phase, e.reason, e.due = to, reason, time.Time{}
	if to != missing {
		j.answer(id, to == returned)
	}
	return true
}

func (j *job) setNode(path string, state jobevent.NodeState, due time.Time) {
	n := j.nodes[path]
	if n == nil {
		n = &nodeEntry{}
		j.nodes[path] = n
	} else if n.state == jobevent.NodeAsked {
		j.nodesAsked--
	} else if n.state == jobevent.NodePlain && !n.heard {
		j.unheard--
	}
	n.state, n.due, n.away = state, due, false
	j.nodesChanged()
	switch {
	case state == jobevent.NodeAsked:
		j.nodesAsked++
	case state == jobevent.NodePlain && !n.heard:
		j.unheard++
	}
	if len(j.held) > 0 {
		j.changedNodes = append(j.changedNodes, path)
	}
}

// behind reports whether path is root or leads through it.
func behind(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

func (j *job) account(withWaiting bool) Account {
	a := Account{
		JID: j.JID, Fun: j.Fun, Opened: j.opened, Closed: j.closed,
		Expected: len(j.entries) + j.good + j.bad, Returned: j.good, Failed: j.bad,
		Missing: map[string]jobevent.Absence{}, Nodes: make(map[string]jobevent.NodeState, len(j.nodes)),
	}
	if withWaiting {
		a.Waiting = map[string]string{}
	}
	for id, e := range j.entries {
		switch {
		case e.phase == missing:
			a.Missing[id] = jobevent.Absence{Reason: e.reason, Path: e.path}
		case withWaiting && e.phase.pending():
			a.Waiting[id] = e.path
		}
	}
	for path, n := range j.nodes {
		a.Nodes[path] = n.state
	}
	return a
}
