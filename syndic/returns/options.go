package returns

import (
	"context"
	"log/slog"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/origins"
)

// Conn is the connection to the parent.
type Conn interface {
	// IsUp reports whether the parent can be sent to, Ours whether it has identified itself as a
	// mom master.
	IsUp() bool
	Ours() bool
	// IsResting reports whether the last request failed; SetResting records it.
	IsResting() bool
	SetResting(resting bool)
	// Request sends a load and blocks until the answer arrives or ctx ends.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
}

// Options configure a [Sender]. All but Tracer and Trace are required.
type Options struct {
	ID     string // of this node
	Name   string // of the parent, for errors
	Addr   string // names its destination in the outbox
	Parent Conn
	Outbox returners.SharedOutbox
	Jobs   Loads
	// Origins records which stored returns the parent still needs.
	Origins *origins.Origins
	// Owns reports whether a row of the shared destination goes to this parent now. Others returns
	// the destinations that also need a row it has accepted.
	Owns   func(it returners.Item) bool
	Others func(it returners.Item) []string
	// WakeDest wakes the sender of another destination.
	WakeDest func(dest string)
	// Shifts returns the number of changes of row ownership.
	Shifts func() uint64
	Config *config.Master
	Bounds bounds.Bounds
	Pace   *link.Pace
	// Tracer creates the spans of sent returns within the traces of their jobs. nil: none.
	Tracer  *tracing.Tracer
	Trace   func(jid string) tracing.Carrier
	Rescues *logs.Rescues
	Log     *slog.Logger
}
