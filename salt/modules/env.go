package modules

import (
	"context"
	"errors"
	"log/slog"
	"syscall"

	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

// Env is what a function may see and do of the minion it runs in. Maps that it
// hands out are snapshots: a function must not change them.
type Env interface {
	// Option returns a minion option by Salt's name with its default, nil
	// when there is none. Maps are *value.Map or map[string]any.
	Option(name string) any
	// Options returns all options for config.items and globbing.
	Options() *value.Map
	// Grains returns the present grains.
	Grains() *value.Map
	// RefreshGrains collects the grains anew, after a change of conf_dir/grains
	// or by saltutil.refresh_grains. When tell is true the master gets them too
	// (a pillar refresh, as Salt does).
	RefreshGrains(ctx context.Context, tell bool) error
	// Pillar returns the pillar in memory.
	Pillar() *value.Map
	// RefreshPillar fetches the pillar anew and keeps it.
	RefreshPillar(ctx context.Context) error
	// CompilePillar fetches a pillar without keeping it.
	CompilePillar(ctx context.Context, o PillarOptions) (*value.Map, error)
	// Ask sends a load sealed to the master and gives its answer; cmd names the
	// command. Without a master it is an error.
	Ask(ctx context.Context, load *value.Map) (any, error)
	// Files are the salt:// files: of the master, or of file_roots on this host.
	Files() *fileclient.Client
	// External are the programs of this host that are modules; nil: none.
	External() *external.Modules
	// FireAll sends an event to all masters. With several, the error only says that the event
	// could not be queued.
	FireAll(ctx context.Context, tag string, data any) error
	// Fire sends an event to the master that the job came from; tag is used as given.
	Fire(ctx context.Context, tag string, data any) error
	// FireLocal puts an event on the minion's own bus only. The minion acts on
	// the tag pillar_refresh by fetching the pillar.
	FireLocal(tag string, data any) error
	// ManageSchedule has the scheduler of the minion do what the data of Salt's event
	// manage_schedule say, and gives those of the event that answers; nil: none does. The
	// error is that no daemon runs here, or why it does not do it.
	ManageSchedule(ctx context.Context, data *value.Map) (*value.Map, error)
	// Jobs is the table of running jobs.
	Jobs() JobTable
	// Masters tells the masters of this minion.
	Masters() []MasterStatus
	// PingMaster asks the master at an address whether it answers.
	PingMaster(ctx context.Context, master string) error
	// Log is where a function logs; nil means [slog.Default].
	Log() *slog.Logger
}

// PillarOptions alter one compilation of the pillar.
type PillarOptions struct {
	// Override is laid over the result by the master; nil for nothing.
	Override *value.Map
	// Saltenv and Pillarenv choose environments; "" leaves the option's.
	Saltenv, Pillarenv string
}

// MasterStatus is one master as the minion sees it now.
type MasterStatus struct {
	// Addr is the host as configured; IP its address when connected.
	Addr, IP string
	// Connected tells whether the publication stream stands.
	Connected bool
}

// ErrNoJob is returned when a jid names no running job.
var ErrNoJob = errors.New("no such job is running")

// JobTable is the set of jobs that run in the minion.
type JobTable interface {
	// Running returns the running jobs, oldest first.
	Running() []Job
	// Find returns one running job.
	Find(jid string) (Job, bool)
	// Signal delivers sig to the job: to each process group it started, and,
	// when sig is one that ends a process, to the job itself by its context.
	// It returns [ErrNoJob] when no such job runs.
	Signal(jid string, sig syscall.Signal) error
	// Cached returns the return data kept of an ended job when the minion runs
	// with cache_jobs, else false.
	Cached(jid string) (*value.Map, bool)
}

// Job is one running job.
type Job struct {
	JID string
	// PID is the process the job runs in.
	PID int
	// Load is the publication: fun, arg, tgt, tgt_type, jid, ret, user, ….
	Load *value.Map
}
