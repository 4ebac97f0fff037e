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
	"github.com/momtree/mom/syndic/link"
)

// Local is the part of the local master that accepts publications. See package local.
type Local interface {
	Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error
	// Answer answers a parent's question for this node and all below it.
	Answer(ctx context.Context, what string, arg wire.Raw) (any, error)
}

// Options configure a [Stream]. All but Tracer, OwnMaster and Questions are required.
type Options struct {
	ID      string // of this node
	Channel *channel.Channel
	Local   Local
	// Offered holds the queued jobs of all parents that the local master does not accept yet.
	Offered *Offered
	// Learn records that the parent published a job. first: no parent had before; second: another
	// one had. Asks returns the notes to store with the job.
	Learn func(ctx context.Context, jid, masterID string) (first, second bool)
	Asks  func(jid string) []returners.Note
	// Share records that further parents share a job of this one: tops of one cluster. again: the job
	// was known before. nil: there are no further parents.
	Share func(jid string, tops []string, again bool)
	// Backfill adds the returns stored before any parent requested the job to this parent's outbox;
	// false: that remains to be done. BackfillSoon schedules the same for returns that another
	// parent already has.
	Backfill     func(ctx context.Context, jid string) bool
	BackfillSoon func(jid string)
	// Push sends the parent an event, Answer a report by this node itself.
	Push, Answer func(bus.Event)
	// Request sends the parent a load.
	Request func(ctx context.Context, load *wire.Map) (wire.Raw, error)
	// Siblings requests the list of siblings from the parent within that time.
	Siblings func(within time.Duration)
	// Tracer creates the spans of republished jobs; nil: none.
	Tracer *tracing.Tracer
	// OwnMaster is the master_id of the local master; its own jobs are ignored.
	OwnMaster string
	// Questions republishes a parent's questions to minions below about their jobs.
	Questions bool
	Remember  int // bound of remembered jobs (asked_jobs)
	Pace      *link.Pace
	Log       *slog.Logger
}
