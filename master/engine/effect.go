package engine

import (
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Effect is an action for the owner of the engine. Effects are carried out in order.
type Effect interface{ effect() }

// SendReport sends a report to the bus of this node and to the masters above that requested the
// job. A [jobevent.Closed] goes to the masters above only.
type SendReport struct {
	Word jobevent.Word
	// From is the node directly below that sent the report, or "" for this node.
	From string
}

// Started fires the event of a new job, which is stored. It follows the [SendReport] of the node's
// own expectation.
type Started struct {
	JID string
	Ref any // see [Publication.Ref]
}

// Publish sends a publication to the subscribers. If a peer connects or disconnects meanwhile,
// report it to the engine as a change of presence.
type Publish struct {
	JID string
	Ref any // see [Publication.Ref]
	// Early means that returns may already be stored: call [Engine.CountStored] after sending.
	Early bool
}

// Skip reports a job that is not published again.
type Skip struct {
	JID string
	Ref any // see [Publication.Ref]
}

// NewReturn reports a return stored for the first time.
type NewReturn struct{ Return *returners.Return }

// Complete reports a job that has closed. It follows all returns of the job.
type Complete struct{ Account Account }

// Missed reports minions and nodes that cannot answer. It precedes the report that names them. The
// job may stay queued for some of the minions.
type Missed struct {
	JID     string
	Minions map[string]jobevent.Absence
	Nodes   map[string]jobevent.NodeState
}

// FindJob sends find_job to minions of this node. Pass each answer to [Engine.Found].
type FindJob struct {
	JID string
	IDs []string
}

// Rescued reports a connected minion that dropped a job without saying so. The safety check after
// AskConnected found it.
type Rescued struct {
	JID, ID, Reason string
	Since           time.Duration
}

// TakeOver publishes a job of another top to the nodes that have not reported it: the other top may
// be gone, or cannot reach them. A node runs a jid once. It follows once per publication, without
// nodes if all have reported.
type TakeOver struct {
	JID   string
	Nodes []string // sorted
}

// Ended reports a job whose end is stored. A restart does not need its state.
type Ended struct{ JID string }

// EndNotStored reports a closed job whose end was not stored because records of it were lost. If
// Again is set, the records were dropped while the disk was full or unavailable; call
// [Engine.EndAgain]. Otherwise the next start restores the job.
type EndNotStored struct {
	JID   string
	Err   error
	Again bool
}

// Stored reports that all records up to UpTo are stored, or, with Err, that those after the
// previous Stored are not and must be sent again.
type Stored struct {
	UpTo uint64
	Err  error
}

func (SendReport) effect()   {}
func (Started) effect()      {}
func (Publish) effect()      {}
func (Skip) effect()         {}
func (NewReturn) effect()    {}
func (Complete) effect()     {}
func (Missed) effect()       {}
func (FindJob) effect()      {}
func (Rescued) effect()      {}
func (TakeOver) effect()     {}
func (Ended) effect()        {}
func (EndNotStored) effect() {}
func (Stored) effect()       {}
