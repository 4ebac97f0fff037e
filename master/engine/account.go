package engine

import (
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Reasons why a minion is missing. Users see them in brackets after "Minion did not return.".
const (
	// NoResponse: the minion does not report presence and did not answer a round of find_job.
	// Salt's wording.
	NoResponse = "No response"
	// NotConnected: the minion was not connected when the job was published, or its lease expired.
	NotConnected = "Not connected"
	// NotRunning: the minion is connected and does not run the job. It restarted, or missed the
	// publication.
	NotRunning = "Not running the job"
	// ResourcesReturn: the minion (Salt 3008) returns the results of a state run for its resources
	// only, not for itself.
	ResourcesReturn = "Its resources return in its place"
	// NodeDown: the node above the minion is not connected.
	NodeDown = "Node not connected"
	// NodeNoResponse: the node above the minion is connected and did not send its expectation in
	// time.
	NodeNoResponse = "Node did not answer"
	// NodeRefused: the node above the minion refused the job; its state in the account says why.
	NodeRefused = "Node refused the job"
	// Unknown: the target names an id that no node has.
	Unknown = "No such minion"
)

// Account is a snapshot of one job.
type Account struct {
	JID      string
	Fun      string
	Opened   time.Time
	Closed   time.Time // zero while the job is open
	Expected int
	Returned int // successful returns
	Failed   int // other returns
	// Missing holds the minions that will not answer.
	Missing map[string]jobevent.Absence
	// Waiting maps each pending minion to its path. Only [Engine.State] sets it.
	Waiting map[string]string
	// Nodes holds the state of each node that was asked, by path.
	Nodes map[string]jobevent.NodeState
}

// Open reports whether the job still waits for a minion or node.
func (a Account) Open() bool { return a.Closed.IsZero() }

// Complete returns the report that closes the job.
func (a Account) Complete() jobevent.Complete {
	return jobevent.Complete{
		JID: a.JID, Fun: a.Fun, Expected: a.Expected, Returned: a.Returned, Failed: a.Failed, Missing: a.Missing, Reasons: jobevent.Reasons(a.Missing),
		Nodes: a.Nodes, Took: a.Closed.Sub(a.Opened),
	}
}
