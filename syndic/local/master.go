package local

import (
	"context"
	"errors"
	"iter"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

var (
	// ErrNoMatch is wrapped when the local master has nobody for a job.
	ErrNoMatch = errors.New("no minion or node below is meant")
	// ErrNotNow is wrapped when the local master takes no job just now, whatever it is:
	// it starts, or its disk takes nothing. It is worth another attempt.
	ErrNotNow = errors.New("the local master takes no job now")
)

// Jobs reads jobs and notes about them.
type Jobs interface {
	returners.Reader
	returners.NoteReader
}

// Master is the local master.
type Master interface {
	// Publish starts a job there, and stores in one commit with it who asks for it. An
	// error that wraps [ErrNoMatch] or [ErrNotNow] says so; any other is a refusal for
	// good. With an error nothing is stored.
	Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error
	// Note stores notes by themselves.
	Note(ctx context.Context, notes ...returners.Note) error
	// Bus delivers its events.
	Bus() *bus.Bus
	// Outbox holds what it owes upward.
	Outbox() returners.SharedOutbox
	// Jobs reads what this node itself has stored.
	Jobs() Jobs
	// Grown delivers a value when the outbox may have grown.
	Grown() <-chan struct{}
	// Tree is the tree from it down.
	Tree() *topology.Tree
	// OpenJobs lists the jobs of which a parent that was away may have missed
	// something: those that are open, and closed ones that not all parents which
	// asked have heard the end of; in the order of their jids, those behind one, at
	// most n.
	OpenJobs(after string, n int) []string
	// Word gives the number of the last word about such a job that is closed.
	Word(jid string) (word uint64, closed bool)
	// Story tells a job: who has to answer it, and who will not, in events that
	// speak of at most n minions each. After those of a closed job comes its
	// salt/job/<jid>/closed.
	Story(jid string, n int) iter.Seq[bus.Event]
	// Told ends that of a closed job: the masters above that asked for it have
	// taken all that was told of it up to its salt/job/<jid>/closed of that word.
	Told(jid string, word uint64)
	// Answer answers a question of a master above, for this node and all below.
	Answer(ctx context.Context, what string, arg wire.Raw) (any, error)
}
