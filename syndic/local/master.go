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
	// ErrNoMatch means that a job's target matches no minion and no node below.
	ErrNoMatch = errors.New("no minion or node below matches")
	// ErrNotNow means that the local master accepts no job now, for example because it is starting
	// or its disk is full. Try again later.
	ErrNotNow = errors.New("the local master accepts no job now")
)

// Jobs reads jobs and their notes.
type Jobs interface {
	returners.Reader
	returners.NoteReader
}

// Master is the local master. Its methods are safe for concurrent use.
type Master interface {
	// Publish starts a job, and stores in the same commit the notes of who requested it. On error
	// nothing is stored. Errors other than [ErrNoMatch] and [ErrNotNow] are permanent.
	Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error
	// Note stores notes without a job.
	Note(ctx context.Context, notes ...returners.Note) error
	// Bus returns its event bus.
	Bus() *bus.Bus
	// Outbox holds the returns for the parents.
	Outbox() returners.SharedOutbox
	// Jobs reads the job store.
	Jobs() Jobs
	// Grown receives a value when the outbox may have grown.
	Grown() <-chan struct{}
	// Tree returns the tree rooted at it.
	Tree() *topology.Tree
	// OpenJobs lists at most n jobs with a jid after the given one, in the order of jids: jobs that
	// are open, and closed ones whose end not every requesting parent has accepted.
	OpenJobs(after string, n int) []string
	// LastReport returns the number of the last report of a closed job.
	LastReport(jid string) (word uint64, closed bool)
	// Reports returns the events that state the expectation and the missing minions of a job, each
	// with at most n minions. For a closed job the last one is its salt/job/<jid>/closed.
	Reports(jid string, n int) iter.Seq[bus.Event]
	// Reported records that all requesting parents have accepted the reports of a closed job up to
	// that number.
	Reported(jid string, word uint64)
	// Answer answers a parent's question for this node and all below it.
	Answer(ctx context.Context, what string, arg wire.Raw) (any, error)
}
