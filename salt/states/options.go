package states

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/value"
)

// Options of a [Run]. Functions, Source and Renderer are needed; the rest has
// defaults.
type Options struct {
	Functions Functions
	// Modules are the execution functions; nil is none, and whatever needs one fails.
	Modules  Modules
	Source   Source
	Renderer Renderer

	// Subject is what the targets of top files are matched with.
	Subject    target.Subject
	Nodegroups map[string]any

	// ID is the minion, JID the job; both are part of event tags.
	ID, JID string
	// OrchestrationJID is laid into each chunk as __orchestration_jid__; "" is not.
	OrchestrationJID string
	// Grains are the present grains (shell, state_runs_disabled); nil is none.
	Grains func() *value.Map

	// Saltenv restricts the top file to one environment; "" takes all.
	Saltenv string
	// LockSaltenv keeps chunks from choosing another environment.
	LockSaltenv bool
	// StateTop is the path of the top file; "" is top.sls. StateTopSaltenv is the one
	// environment it is read from; "" is all.
	StateTop, StateTopSaltenv string
	// MergingStrategy of top files: merge (the default), same or merge_all.
	MergingStrategy string
	// DefaultTop is the environment whose top file serves those without, with same.
	DefaultTop string
	// EnvOrder is the order in which environments are taken; nil is Source's.
	EnvOrder []string
	// MasterTopsFirst puts what the master's tops say before the top file.
	MasterTopsFirst bool
	// NoAutoOrder leaves the order of definition out (state_auto_order: False).
	NoAutoOrder bool
	// Failhard ends a run at the first failed state.
	Failhard bool
	// DisabledRequisites are the names of requisites that are ignored.
	DisabledRequisites []string

	// Test only tells what would change. Mock does not even ask.
	Test, Mock bool

	// MaxSLS bounds the size of one SLS file in bytes; 0 is 16 MiB.
	MaxSLS int64
	// MaxChunks bounds the states of one run; 0 is 100,000.
	MaxChunks int

	// Events sends a progress event for each state (state_events). Fire sends it;
	// nil sends none.
	Events bool
	Fire   func(ctx context.Context, tag string, data any) error
	// Reload is called after a state that wants it: with grains, with pillar, and
	// with neither when modules alone are to be loaded anew; nil does nothing.
	Reload func(ctx context.Context, grains, pillar bool) error
	// Paused tells what state.pause says of a state: it waits as long as that lasts,
	// and false ends the run (state.soft_kill); nil never does.
	Paused func(ctx context.Context, id string) (goOn bool, err error)

	// Umask calls fn with a file mode mask of its own (the state option umask); nil
	// refuses states that want one.
	Umask func(mask int, fn func()) error

	// Now is the clock; nil is time.Now. Sleep waits between retries; nil really does.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	// Random is a number from 0 to n-1 for splay; nil is [math/rand/v2.IntN].
	Random func(n int) int
	// Log is where the run logs; nil is [slog.Default].
	Log *slog.Logger
}

// withDefaults fills in what is left out.
func (o Options) withDefaults() Options {
	if o.StateTop == "" {
		o.StateTop = "top.sls"
	}
	if o.MergingStrategy == "" {
		o.MergingStrategy = "merge"
	}
	if o.DefaultTop == "" {
		o.DefaultTop = "base"
	}
	if o.MaxSLS == 0 {
		o.MaxSLS = 16 << 20
	}
	if o.MaxChunks == 0 {
		o.MaxChunks = 100_000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = timing.Sleep
	}
	if o.Random == nil {
		o.Random = rand.IntN
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Subject == nil {
		o.Subject = target.ID(o.ID)
	}
	if o.Grains == nil {
		o.Grains = func() *value.Map { return nil }
	}
	return o
}
