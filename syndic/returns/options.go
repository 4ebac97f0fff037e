package returns

import (
	"context"
	"log/slog"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/pace"
)

// Conn is the connection to the master above that the returns go to.
type Conn interface {
	// IsUp tells whether it can be sent to, Ours whether it has said that it is one of ours.
	IsUp() bool
	Ours() bool
	// IsResting tells whether its last request failed; SetResting notes that.
	IsResting() bool
	SetResting(resting bool)
	// Request sends a load and waits for the answer.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
}

// Options of a [Sender]. None may be left out.
type Options struct {
	ID     string // of this node
	Name   string // of the parent, for errors
	Addr   string // by which it is owed returns
	Parent Conn
	Outbox returners.SharedOutbox
	Jobs   Loads
	// Origins knows what the parent is owed from before it asked.
	Origins *origins.Origins
	// Owns tells whether a row that is not addressed to one parent goes to this one now,
	// Others are the destinations that are owed it too when this one has taken it.
	Owns   func(it returners.Item) bool
	Others func(it returners.Item) []string
	// Owes tells that the outbox holds rows for another destination by now.
	Owes func(dest string)
	// Shifts counts the changes of who owns which rows.
	Shifts func() uint64
	Config *config.Master
	Bounds bounds.Bounds
	Pace   *pace.Pace
	// Tracer makes the spans of returns that go up, below the traces of their jobs; nil: none.
	Tracer  *tracing.Tracer
	Trace   func(jid string) tracing.Carrier
	Rescues *rescue.Counter
	Log     *slog.Logger
}
