package master

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/value"
)

// Options configures a [Master].
type Options struct {
	Config *config.Master
	// Parent is the outbox destination for the master above, emptied by the forwarder; "" makes
	// this master a top.
	Parent string
	// NodeID is the id under which the forwarder signs in above. Default: the id of Config. Salt's
	// two files have separate ids; in the file master it defaults to NAME_master.
	NodeID  string
	Version string
	Log     *slog.Logger
	// Rescue counts what sweeps had to repair. nil: a counter of the master.
	Rescue *logs.Rescues
	// Now returns the wall time. nil: time.Now.
	Now func() time.Time
	// Tracer creates OpenTelemetry traces of jobs. nil: off.
	Tracer *tracing.Tracer
	// Caller runs an execution function on this machine for caller reactions. nil: they are
	// refused.
	Caller func(ctx context.Context, fun string, args []any, kwargs *value.Map) error

	// running returns the monotonic time for ages. nil: that of the machine. Tests with their own
	// Now may set it.
	running func() time.Duration
	// wrapStore wraps the embedded store in tests.
	wrapStore func(returners.JobStore) returners.JobStore
}
