package returners

import (
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Return is the answer of one minion to one job.
//
// JID and ID are its identity: the first return of a pair is kept, later ones
// change nothing.
type Return struct {
	JID string
	ID  string // minion id
	Fun string // display name; the functions of a compound call joined by ","

	Success bool
	Retcode int
	Out     string // outputter name, "" when the return names none

	// Value is the msgpack of the result (`return`). Full is the whole return
	// load and is kept byte for byte, so that it can travel on unchanged. A job
	// that must not be cached is stored with both empty: the row still marks
	// the pair as seen.
	Value wire.Raw
	Full  wire.Raw

	MasterID string    // master_id of the return load, "" if absent
	Via      string    // node the return came through, "" = from the minion itself
	At       time.Time // when this master received it; zero = now
}

// Load is what was published for a job: the clear load without the key and
// without eauth secrets.
type Load struct {
	JID  string
	Raw  wire.Raw
	User string
	At   time.Time // when the job was opened; zero = now
	// Own is set by the master that was given the job, for what it was given. Of two
	// loads of a job the first stays, whoever brings the second one: who asked, what,
	// and of whom never changes. But what a master was given itself takes the place of
	// what had come from others with returns.
	Own bool
	// More are the ids that a further publication of the job adds, of those that Raw names. A
	// store may keep them apart; what is read of it has them in Raw alone.
	More []string
}

// Expectation is the set of minions one node said would answer a job.
//
// A later expectation of the same (jid, node) adds to the earlier one: the ids
// it names take the state it gives them, the others stay as they were.
type Expectation struct {
	JID     string
	Node    string            // path below this node, "" = this node itself
	Minions []string          // ids that have to answer
	Missing map[string]string // ids that will not answer, with the reason
	At      time.Time         // zero = now
	// State is what became of the node itself, in the words of the job's account
	// ("answered", "silent", "unreachable"), or StateAdopted; "" says nothing about it.
	State string
}

const (
	// StateAnswered is of a node that was given the job: it told whom it asks.
	StateAnswered = "answered"
	// StateAdopted is of this node itself while it was not given the job: its minions
	// are those that came at work on it. The first expectation alone can say so; a
	// later one that does changes no other state.
	StateAdopted = "adopted"
)

// Event is one event of the bus, kept by an event returner.
type Event struct {
	// Key makes a second delivery of the same event harmless. Empty means that
	// the event has no identity: each delivery is one row.
	Key      string
	Tag      string
	Data     wire.Raw
	MasterID string // id of the master whose bus it was on
	At       time.Time
}
