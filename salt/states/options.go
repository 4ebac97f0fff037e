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

// Options configure a [Run]. Functions, Source and Renderer are required.
type Options struct {
	Functions Functions
	// Modules calls execution functions; nil makes everything fail that needs one.
	Modules  Modules
	Source   Source
	Renderer Renderer

	// Subject is the minion for matching targets of top files.
	Subject    target.Subject
	Nodegroups map[string]any

	// ID is the minion id and JID the job id; both are part of event tags.
	ID, JID string
	// OrchestrationJID is added to each chunk as __orchestration_jid__ unless it is "".
	OrchestrationJID string
	// Grains returns the grains (for shell and state_runs_disabled); may be nil.
	Grains func() *value.Map

	// Saltenv restricts the top file to one environment; "" means all.
	Saltenv string
	// LockSaltenv prevents chunks from choosing another environment.
	LockSaltenv bool
	// StateTop is the path of the top file; "" means top.sls. StateTopSaltenv is the only
	// environment it is read from; "" means all.
	StateTop, StateTopSaltenv string
	// MergingStrategy of top files: merge (the default), same or merge_all.
	MergingStrategy string
	// DefaultTop is the environment whose top file is used for those without one, with
	// same.
	DefaultTop string
	// EnvOrder is the order of environments; nil means that of Source.
	EnvOrder []string
	// MasterTopsFirst puts the master's tops before the top file.
	MasterTopsFirst bool
	// NoAutoOrder ignores the order of definition (state_auto_order: False).
	NoAutoOrder bool
	// Failhard ends a run at the first failed state.
	Failhard bool
	// DisabledRequisites are the names of requisites that are ignored.
	DisabledRequisites []string

	// Test only reports what would change. Mock does not call the functions.
	Test, Mock bool

	// MaxSLS is the largest SLS file in bytes; 0 means 16 MiB.
	MaxSLS int64
	// MaxChunks is the most states of one run; 0 means 100,000.
	MaxChunks int

	// Events enables a progress event for each state (state_events). Fire sends it; may be
	// nil.
	Events bool
	Fire   func(ctx context.Context, tag string, data any) error
	// Reload is called after a state that requests it: with grains, with pillar, or with
	// neither to reload only modules; may be nil.
	Reload func(ctx context.Context, grains, pillar bool) error
	// Paused implements state.pause: it blocks while the state is paused, and returns false
	// to end the run (state.soft_kill); may be nil.
	Paused func(ctx context.Context, id string) (goOn bool, err error)

	// Umask calls fn with a file mode mask (the state option umask); nil makes states with
	// the option fail.
	Umask func(mask int, fn func()) error

	// Now is the clock; nil means time.Now. Sleep waits between retries; nil sleeps in real
	// time.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	// Random returns a number from 0 to n-1 for splay; nil means [math/rand/v2.IntN].
	Random func(n int) int
	// Log is the logger of the run; nil means [slog.Default].
	Log *slog.Logger
}

// withDefaults returns the options with defaults.
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
