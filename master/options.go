package master

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/value"
)

// Options of a [Master].
type Options struct {
	Config *config.Master
	// Parent is the outbox destination of what this master owes to the one
	// above; "" makes it a top. The forwarder of the same node empties it.
	Parent string
	// NodeID is what the masters above know this node by: the id under which its
	// forwarder signs in. "" means the id of Config, as at a top. Salt's two files
	// give them apart: without an id in the file master that one is NAME_master.
	NodeID  string
	Version string
	Log     *slog.Logger
	// Rescue counts what sweeps find that should have gone by itself. nil: one of
	// the master's own.
	Rescue *rescue.Counter
	// Now is the clock of stamps and ages; nil means time.Now.
	Now func() time.Time
	// Tracer makes OpenTelemetry traces of jobs; nil: none.
	Tracer *tracing.Tracer
	// Caller runs an execution function of this machine, for reactions of the type caller.
	// nil: they are refused.
	Caller func(ctx context.Context, fun string, args []any, kwargs *value.Map) error

	// running is the clock that nobody sets, by which ages are counted; nil: that of
	// the machine. A test with a Now of its own may have it go with that.
	running func() time.Duration
	// wrapStore lets a test stand between the master and its embedded store.
	wrapStore func(returners.JobStore) returners.JobStore
}
