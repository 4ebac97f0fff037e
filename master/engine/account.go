package engine

import (
	"time"

	"github.com/momtree/mom/internal/jobevent"
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
	// ResourcesReturn: a minion of Salt 3008 that manages resources returns their results of a
	// state run, and not its own.
	ResourcesReturn = "Its resources return in its place"
	// NodeDown: the node that the minion sits behind is not connected.
	NodeDown = "Node not connected"
	// NodeNoResponse: the node that the minion sits behind is connected and did not tell
	// in time who has to answer.
	NodeNoResponse = "Node did not answer"
	// NodeRefused: the node that the minion sits behind does not take the job, and its
	// state in the account says why.
	NodeRefused = "Node refused the job"
	// Unknown: the target names an id that no node of the tree has.
	Unknown = "No such minion"
)

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
	Missing map[string]jobevent.Absence
	// Waiting holds the minions still waited for and the path to each; only
	// [ledger.State] fills it.
	Waiting map[string]string
	// Nodes holds the state of each node below that was asked, by path.
	Nodes map[string]jobevent.NodeState
}

// Open reports whether the job still waits for somebody.
func (a Account) Open() bool { return a.Closed.IsZero() }

// Complete is the word by which a job ends.
func (a Account) Complete() jobevent.Complete {
	return jobevent.Complete{
		JID: a.JID, Fun: a.Fun, Expected: a.Expected, Returned: a.Returned, Failed: a.Failed, Missing: a.Missing, Reasons: jobevent.Reasons(a.Missing),
		Nodes: a.Nodes, Took: a.Closed.Sub(a.Opened),
	}
}
