package engine

import (
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Effect is something that has to be done, in its turn.
type Effect interface{ effect() }

// Tell gives a word to the bus of this node and to the masters above that asked for
// the job. A [jobevent.Closed] is for the forwarder alone.
type Tell struct {
	Word jobevent.Word
	// From is the node right below that has said it, "" if it is this node's own.
	From string
}

// Started reports a job that has been stored: its event is fired. The [Tell] of who has to
// answer comes before it.
type Started struct {
	JID string
	Ref any // of the [Publication]
}

// Publish hands the publication of a job to the subscribers. Who is there by then and
// was not when the job was matched, or the other way round, is told to the engine
// afterwards as a change of presence.
type Publish struct {
	JID string
	Ref any // of the [Publication]
	// Early: the returns that are here already have to be counted once it is sent
	// ([Engine.CountStored]).
	Early bool
}

// Skip reports a job that is not published, because it was published before.
type Skip struct {
	JID string
	Ref any // of the [Publication]
}

// Fresh is a return that is stored and was not before.
type Fresh struct{ Return *returners.Return }

// Complete is a job whose account adds up. It comes after all its returns.
type Complete struct{ Account Account }

// Missed are minions and nodes that are found unable to answer, before the words that
// tell so: a queued job waits for some of them.
type Missed struct {
	JID     string
	Minions map[string]jobevent.Absence
	Nodes   map[string]jobevent.NodeState
}

// Find asks minions of this node whether they work on a job; [Engine.Found] is told
// what they answer.
type Find struct {
	JID string
	IDs []string
}

// Rescued is a connected minion that was waited for until a question ended that.
type Rescued struct {
	JID, ID, Reason string
	Since           time.Duration
}

// Ended is a job whose end is on disk: nothing of it has to be kept for a restart.
type Ended struct{ JID string }

// Unended is a job that is over and whose end is not on disk, since words on it are not
// and never will be. Again: they were let go while a disk took nothing, which it does
// now; [Engine.EndAgain] has them stored anew. Otherwise a restart looks at it.
type Unended struct {
	JID   string
	Err   error
	Again bool
}

// Stored tells that all words up to a number are on disk, or that those since the last
// one are not and have to be told again by who said them.
type Stored struct {
	UpTo uint64
	Err  error
}

func (Tell) effect()     {}
func (Started) effect()  {}
func (Publish) effect()  {}
func (Skip) effect()     {}
func (Fresh) effect()    {}
func (Complete) effect() {}
func (Missed) effect()   {}
func (Find) effect()     {}
func (Rescued) effect()  {}
func (Ended) effect()    {}
func (Unended) effect()  {}
func (Stored) effect()   {}
