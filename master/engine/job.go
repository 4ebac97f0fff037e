package engine

import (
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Liveness is what presence says of a peer.
type Liveness int

// Liveness values. The zero value is the careful one.
const (
	// Untracked peers cannot say what they work on: Python minions, connected or not
	// known to be, and Python syndics.
	Untracked Liveness = iota
	// Up peers hold a presence session bound to a live connection.
	Up
	// Away peers had a session that broke lately: they may come back.
	Away
	// Down peers are known to be gone.
	Down
)

// Minion is a direct minion of this master that a job is meant for.
type Minion struct {
	ID   string
	Live Liveness
	// Grace is what an Away minion has left to come back to a job: it was given
	// it before, or is given it then. 0: what is not connected cannot get it.
	Grace time.Duration
	// Doubt says of an Untracked minion that it is not known to be connected: whether it
	// is certain by now that it is not is looked at again and again.
	Doubt bool
	// Unsure says that it is not known whether the target means it: it is asked, and leaves
	// the account if it declines.
	Unsure bool
	// Silent says why it will return nothing, though it gets the job; "": it will.
	Silent string
}

// Node is a syndic node directly below this master.
type Node struct {
	ID   string
	Live Liveness
	// Grace is what an Away node has left to come back and be given the job. 0:
	// what is not connected cannot get it.
	Grace time.Duration
	// Known gives the minions behind the node that the target is known to
	// match, and the path to each. They are named as missing when the node, or one
	// behind it, is down, does not answer or refuses; it is not called otherwise,
	// for in a large tree the answer costs more than the job. Behind a Python syndic those
	// that the target names are waited for. It must not call the ledger. nil: none are known.
	Known func() map[string]string
}

// Job describes a job to be opened.
type Job struct {
	JID     string
	Fun     string
	Minions []Minion
	Nodes   []Node
	// Unclaimed holds ids that the target names and this master does not
	// have. Unless a node below claims them they are reported as [Unknown].
	Unclaimed []string
	// Named is how many minions the target names one by one; 0 means that it
	// is a pattern. When that many have answered nobody else can, and the job
	// ends without waiting for nodes.
	Named int
	// Everyone says that the target means every minion there is: a Python
	// syndic that says nothing to it within syndic_wait is taken for dead. To
	// any other target its silence may mean that it has nobody.
	Everyone bool
	// ByData says that the target looks at grains or pillar, of which this master has copies:
	// a minion that has others may not take the job, and not know that it is waited for. All
	// are asked by find_job after Timeout.
	ByData bool
	// Part is the newest publication of the job: see [returners.Part].
	Part int
	// Timeout is the time an untracked minion gets before it is asked by
	// find_job, and the time a node gets for its expectation. Default 5 s
	// (Salt's `timeout`).
	Timeout time.Duration
	// Queue says that minions that are away get the job when they return: they
	// are reported as [Queued].
	Queue bool
	// Answers are returns that are there already. Minions need not name these.
	Answers []Answer
	// Entering keeps the job open until [ledger.entered] is called: more is to be
	// told of what is known of it.
	Entering bool
}

type phase uint8

const (
	waiting   phase = iota // for a return; due, if set, is the next find_job
	asked                  // find_job is out; due is the end of the round
	finishing              // find_job said "not running": its return may be on the way
	leased                 // its connection broke; due is the end of the lease
	claimable              // named by the target, no node has claimed it yet
	returned
	failed
	missing
)

func (p phase) pending() bool { return p <= claimable }

type entry struct {
	phase  phase
	live   Liveness // Untracked entries are asked by find_job rounds
	direct bool
	// presumed: behind a Python syndic that has not spoken, by what was known of it before.
	presumed bool
	listed   bool // of a presumed one: the target names it, and this master does not have it
	unsure   bool // not known to be meant
	doubt    bool // not known to be connected: until holds its deadline, and due when to look
	path     string
	due      time.Time     // zero: no timer waits for this entry
	pause    time.Duration // before it is asked again; of one that is Up as a net, 0: it was given the job again
	net      bool          // it was Up when it was asked last, and nothing else had asked it so far
	mute     uint8         // questions in a row that it has not answered
	sign     time.Duration // of life: it was at work then, since the job was opened
	sent     time.Duration // when it was asked last, since the job was opened
	until    time.Time     // of one in doubt: the end of its phase, due is when to look at it again
	reason   string
}

type nodeEntry struct {
	state jobevent.NodeState
	heard bool // has said something about the job
	said  bool // has said who has to answer it
	away  bool // not connected: due is the end of its time to come back
	due   time.Time
	parts []int // publications of the job whose expectation is due
}

// job is one open or lately closed job. The ledger's lock guards it.
type job struct {
	Job
	opened, closed time.Time
	names          *names
	done           set                   // who has answered
	entries        map[string]*entry     // all others
	most           int                   // entries there were, since the map was made
	nodes          map[string]*nodeEntry // by path
	pending        int                   // entries not yet settled
	owing          int                   // nodes in state asked
	unheard        int                   // nodes in state plain that have not said a word
	unclaimed      bool                  // entries may be claimable
	unspoken       bool                  // who is known behind Python syndics that have not spoken was named
	claims         map[string][]string   // by minion: paths of nodes that count it beside the one that speaks for it
	held           map[string]held       // by minion: words that are kept back
	heldFor        map[string][]string   // by path: minions whose words wait for the nodes there
	unqueued       bool                  // the time of Queue is over
	growing        int                   // publications that are about to extend the job
	moved          []string              // nodes whose state has changed since words were let go
	changed        chan struct{}         // closed when a node's state changes; nil: nobody waits
	adopted        bool                  // known by minions that came at work on it
	broughtBy      string                // the first of these
	good, bad      int
	longest        time.Duration // from the start to the last answer
	holdUntil      time.Time     // not closed before: Python syndics below
	turns          turns         // of those who are asked by find_job
	looks          int           // at nodes and held words, beyond what an input is about: for tests
	next           time.Time     // when the timer is armed for; zero: not armed
	timer          Timer
}

func (j *job) add(id string, e *entry) {
	j.entries[id] = e
	if e.phase.pending() {
		j.pending++
	}
}

// namedDone tells whether all that the target names have answered.
func (j *job) namedDone() bool { return j.Named > 0 && j.good+j.bad >= j.Named }

// hear notes that the node at path, or one behind it, has spoken.
func (j *job) hear(path string) {
	if n := j.nodes[head(path)]; n != nil && !n.heard {
		n.heard = true
		j.nodesChanged()
		if n.state == jobevent.NodePlain {
			j.unheard--
		}
	}
}

// silence marks the Python syndics that have not said a word.
func (j *job) silence(n *news) {
	//mutant:return-skips-silent-nodes
	if j.unheard == 0 { // asked with each return: there may be thousands of nodes
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

// settle moves a pending or missing entry to a final phase and tells whether
// anything changed. A return counts even after the minion was given up.
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
		j.owing--
	} else if n.state == jobevent.NodePlain && !n.heard {
		j.unheard--
	}
	n.state, n.due, n.away = state, due, false
	j.nodesChanged()
	switch {
	case state == jobevent.NodeAsked:
		j.owing++
	case state == jobevent.NodePlain && !n.heard:
		j.unheard++
	}
	if len(j.held) > 0 {
		j.moved = append(j.moved, path)
	}
}

// behind tells whether path leads through the node at root.
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
