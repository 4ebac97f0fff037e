package publications

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/pace"
)

// Local is the local master, as far as it is given what the masters above publish.
type Local interface {
	Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error
	// Answer answers a question of a master above, for this node and all below.
	Answer(ctx context.Context, what string, arg wire.Raw) (any, error)
}

// Options of a [Stream]. None but OwnMaster and Questions may be left out.
type Options struct {
	ID      string // of this node
	Channel *channel.Channel
	Local   Local
	// Offered are the queued jobs of all masters above that the local one takes not yet.
	Offered *Offered
	// Learn remembers that the parent published a job. first: nobody had before; second:
	// another one had. Asks is what is stored with the job about that.
	Learn func(ctx context.Context, jid, masterID string) (first, second bool)
	Asks  func(jid string) []returners.Note
	// Early has the parent given the returns that were here before anybody asked for
	// their job; false: that is still to be done. Again has it given those that another
	// one has had, and what is still to be done.
	Early func(ctx context.Context, jid string) bool
	Again func(jid string)
	// Push tells the parent an event, Answer what this node itself says of a job.
	Push, Answer func(bus.Event)
	// Request sends the parent a load.
	Request func(ctx context.Context, load *wire.Map) (wire.Raw, error)
	// Siblings has the parent asked for the siblings of the node, within a time.
	Siblings func(within time.Duration)
	// Tracer makes the spans of jobs that are handed on; nil: none.
	Tracer *tracing.Tracer
	// OwnMaster is the master_id of the local master, whose jobs do not come back to it.
	OwnMaster string
	// Questions hands on what the masters above ask minions below about jobs.
	Questions bool
	Remember  int // jobs that were begun to be handed on (bound asked_jobs)
	Pace      *pace.Pace
	Log       *slog.Logger
}
