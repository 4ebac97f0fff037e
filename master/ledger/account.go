package ledger

import (
	"strings"
	"time"
)

// Reasons why a minion is reported as missing. They are what a user reads in
// the brackets after "Minion did not return.".
const (
	// NoResponse: a minion without presence kept silent through a whole round
	// of find_job, as Salt words it.
	NoResponse = "No response"
	// NotConnected: the minion was known to be away when the job was
	// published, or its lease ran out while the job was open.
	NotConnected = "Not connected"
	// NotRunning: the minion is there but says that it does not run the job:
	// it was restarted, or missed the publication.
	NotRunning = "Not running the job"
	// NodeDown: the node that the minion sits behind is not connected.
	NodeDown = "Node not connected"
	// NodeRefused: the node that the minion sits behind does not take the job, and its
	// state in the account says why.
	NodeRefused = "Node refused the job"
	// Unknown: the target names an id that no node of the tree has.
	Unknown = "No such minion"
)

// NodeState is what the ledger knows of a node below that was handed a job.
type NodeState string

// The states of a node in a job's account.
const (
	// NodeAsked: the publication went there, its expectation is still due.
	NodeAsked NodeState = "asked"
	// NodeAnswered: its expectation is known (it may be empty).
	NodeAnswered NodeState = "answered"
	// NodeSilent: it did not send its expectation in time.
	NodeSilent NodeState = "silent"
	// NodeUnreachable: it is not connected.
	NodeUnreachable NodeState = "unreachable"
	// NodePlain: a Python syndic, which cannot say that it matched nothing.
	NodePlain NodeState = "plain"
)

// refusedPrefix begins the state of a node that refused a job.
const refusedPrefix = "refused: "

// Refused gives the reason of a node that refused the job.
func (s NodeState) Refused() (reason string, ok bool) {
	return strings.CutPrefix(string(s), refusedPrefix)
}

// Failed tells whether nothing is known of who is behind the node, and nothing will be.
func (s NodeState) Failed() bool {
	_, refused := s.Refused()
	return refused || s == NodeSilent || s == NodeUnreachable
}

// Missing says why a minion did not answer and which way the job went to it.
type Missing struct {
	// Reason is one of the reasons above, or what a lower node said.
	Reason string
	// Path holds the ids of the nodes below this master on the way to the
	// minion, joined by "/"; empty for a minion of this master itself.
	Path string
}

// Account is the state of one job at one instant.
type Account struct {
	JID      string
	Fun      string
	Opened   time.Time
	Closed   time.Time // zero while the job is open
	Expected int
	Returned int // returns that tell success
	Failed   int // returns with a retcode other than 0
	// Missing holds the minions that will not answer.
	Missing map[string]Missing
	// Waiting holds the minions still waited for and the path to each; only
	// [Ledger.State] fills it.
	Waiting map[string]string
	// Nodes holds the state of each node below that was asked, by path.
	Nodes map[string]NodeState
}

// Open tells whether the job still waits for somebody.
func (a Account) Open() bool { return a.Closed.IsZero() }
