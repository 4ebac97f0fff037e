package orchestrate

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// Env is a master with which states can be run: what its runners may ask, and more.
type Env interface {
	runners.Env
	runners.Listener
	// Orchestration gives what a run needs.
	Orchestration() Parts
}

// Parts are what a run needs of its master.
type Parts struct {
	// ID is the host line of results: that of the master with _master behind it.
	ID string
	// JID gives the id by which events and states name a run of the call of ctx; it is not
	// that of the call.
	JID func(ctx context.Context) string
	// Source has the SLS files: file_roots.
	Source states.Source
	// Modules are the execution functions that conditions (unless, onlyif, check_cmd) and
	// slots of states may call.
	Modules states.Modules
	// Renderer makes the renderer of a run that knows these variables.
	Renderer func(vars *value.Map) states.Renderer
	// Pillar compiles that of the master itself, with override laid over it.
	Pillar func(ctx context.Context, saltenv, pillarenv string, override *value.Map) (*value.Map, error)
	// Call makes a call of a runner ("runner") or a wheel function ("wheel") and waits.
	Call func(ctx context.Context, kind, fun string, args []any, kwargs *value.Map) Ended
	// Fire puts an event on the bus.
	Fire func(tag string, data *value.Map)
	// Failhard and StateEvents are the options failhard and state_events.
	Failhard, StateEvents bool
	// Pauses are the runs that somebody has paused or ended.
	Pauses *Pauses
	Now    func() time.Time
	Log    *slog.Logger
}

// Ended is how a call of a runner or wheel function ended.
type Ended struct {
	JID    string
	Return any // the error as text, if there is one
	OK     bool
}
