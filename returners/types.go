package returners

import (
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Return is the result of one minion for one job.
//
// JID and ID identify it: the first return of a pair is kept, later ones change nothing.
type Return struct {
	JID string
	ID  string // minion id
	Fun string // display name; the functions of a compound call joined by ","

	Success bool
	Retcode int
	Out     string // outputter name, "" if the return names none

	// Value is the msgpack of the result (`return`). Full is the whole return load, kept
	// byte for byte so that it can be forwarded unchanged. A job that must not be cached is
	// stored with both empty: the row still marks the pair as seen.
	Value wire.Raw
	Full  wire.Raw

	MasterID string    // master_id of the return load, "" if absent
	Via      string    // node the return came through, "" = from the minion itself
	At       time.Time // when this master received it; zero = now
}

// Load is the published load of a job: the clear load without the key and without eauth
// secrets.
type Load struct {
	JID  string
	Raw  wire.Raw
	User string
	At   time.Time // when the job was opened; zero = now
	// Own marks a load that this master received as a publication. Of two loads of a job
	// the first stays, whoever sends the second: user, function and target never change.
	// But an own load replaces one that came from other nodes with returns.
	Own bool
	// More are the ids, of those in Raw, that a further publication of the job adds. A
	// store may keep them separately; loads read from it have them in Raw only.
	More []string
}

// Expectation is the set of minions one node expects to answer a job.
//
// A later expectation of the same (jid, node) adds to the earlier one: the ids it names
// take the state it gives them, the others stay as they were.
type Expectation struct {
	JID     string
	Node    string            // path below this node, "" = this node
	Minions []string          // ids that have to answer
	Missing map[string]string // ids that will not answer, with the reason
	At      time.Time         // zero = now
	// State is the state of the node itself: "answered", "silent", "unreachable" or
	// StateAdopted; "" leaves it unchanged.
	State string
}

const (
	// StateAnswered is the state of a node that received the job and reported its minions.
	StateAnswered = "answered"
	// StateAdopted is the state of this node while it has not received the job: its minions
	// came to it while they worked on the job. Only the first expectation can set it; a
	// later one leaves the state as it is.
	StateAdopted = "adopted"
)

// Event is one event of the bus, kept by an event returner.
type Event struct {
	// Key deduplicates deliveries of one event. If it is empty, each delivery is one row.
	Key      string
	Tag      string
	Data     wire.Raw
	MasterID string // master id of the bus it was sent on
	At       time.Time
}
