package orchestrate

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// Env is a master that can run states, in addition to runners.
type Env interface {
	runners.Env
	runners.Listener
	// Orchestration returns what a run needs.
	Orchestration() Parts
}

// Parts is what a run needs of its master.
type Parts struct {
	// ID is the host in results: the id of the master followed by _master.
	ID string
	// JID returns the id of a run in events and states. It differs from that of the call of ctx.
	JID func(ctx context.Context) string
	// Source reads the SLS files in file_roots.
	Source states.Source
	// Modules are the execution functions for conditions (unless, onlyif, check_cmd) and slots of
	// states.
	Modules states.Modules
	// Renderer returns the renderer of a run with these variables.
	Renderer func(vars *value.Map) states.Renderer
	// Pillar compiles the master's own pillar and merges override over it.
	Pillar func(ctx context.Context, saltenv, pillarenv string, override *value.Map) (*value.Map, error)
	// Call calls a runner ("runner") or a wheel function ("wheel") and waits.
	Call func(ctx context.Context, kind, fun string, args []any, kwargs *value.Map) Ended
	// Fire fires an event.
	Fire func(tag string, data *value.Map)
	// Failhard and StateEvents are the options failhard and state_events.
	Failhard, StateEvents bool
	// Pauses holds the runs that were paused or ended by users.
	Pauses *Pauses
	Now    func() time.Time
	Log    *slog.Logger
}

// Ended is the outcome of a runner or wheel call.
type Ended struct {
	JID    string
	Return any // the text of the error, if there is one
	OK     bool
}
