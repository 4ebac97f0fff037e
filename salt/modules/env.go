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

// Env is the access of a function to its minion. The maps it returns are shared: a function
// must not change them.
type Env interface {
	// Option returns a minion option by Salt's name, its default if it is not set, or nil
	// if the option does not exist. Maps are *value.Map or map[string]any.
	Option(name string) any
	// Options returns all options, for config.items and globs.
	Options() *value.Map
	// Grains returns the present grains.
	Grains() *value.Map
	// RefreshGrains collects the grains again, after a change of conf_dir/grains or for
	// saltutil.refresh_grains. If send is true, the minion also sends them to the master
	// with a pillar refresh, as Salt does.
	RefreshGrains(ctx context.Context, send bool) error
	// Pillar returns the pillar in memory.
	Pillar() *value.Map
	// RefreshPillar fetches the pillar and keeps it.
	RefreshPillar(ctx context.Context) error
	// CompilePillar fetches a pillar without keeping it.
	CompilePillar(ctx context.Context, o PillarOptions) (*value.Map, error)
	// Ask sends a load encrypted to the master and returns its answer; cmd is the command.
	// It returns an error if there is no master.
	Ask(ctx context.Context, load *value.Map) (any, error)
	// Files provides the salt:// files, from the master or from file_roots on this host.
	Files() *fileclient.Client
	// External are the programs of this host used as modules; may be nil.
	External() *external.Modules
	// FireAll sends an event to all masters. With several, the error only means that the
	// event could not be queued.
	FireAll(ctx context.Context, tag string, data any) error
	// Fire sends an event to the master that the job came from; tag is used as given.
	Fire(ctx context.Context, tag string, data any) error
	// FireLocal sends an event to the minion's own bus only. The tag pillar_refresh makes
	// the minion fetch the pillar.
	FireLocal(tag string, data any) error
	// ManageSchedule passes the data of Salt's event manage_schedule to the scheduler, and
	// returns the data of the answering event, or nil if there is no answer. It returns an
	// error if no daemon runs, or if the scheduler rejects the request.
	ManageSchedule(ctx context.Context, data *value.Map) (*value.Map, error)
	// Jobs returns the table of running jobs.
	Jobs() JobTable
	// Masters returns the masters of this minion.
	Masters() []MasterStatus
	// PingMaster checks whether the master at an address answers.
	PingMaster(ctx context.Context, master string) error
	// Log returns the logger of functions; nil means [slog.Default].
	Log() *slog.Logger
}

// PillarOptions configure one compilation of the pillar.
type PillarOptions struct {
	// Override is merged over the result by the master; may be nil.
	Override *value.Map
	// Saltenv and Pillarenv select environments; "" means that of the option.
	Saltenv, Pillarenv string
}

// MasterStatus is the state of one master, seen by the minion.
type MasterStatus struct {
	// Addr is the host as configured; IP is its address while connected.
	Addr, IP string
	// Connected reports whether the publication stream is connected.
	Connected bool
}

// ErrNoJob means that no job with the jid is running.
var ErrNoJob = errors.New("no such job is running")

// JobTable is the set of running jobs of the minion.
type JobTable interface {
	// Running returns the running jobs, oldest first.
	Running() []Job
	// Find returns one running job.
	Find(jid string) (Job, bool)
	// Signal sends sig to each process group of the job. If sig ends a process, it also
	// cancels the job's context. It returns [ErrNoJob] if the job is not running.
	Signal(jid string, sig syscall.Signal) error
	// Cached returns the saved return of a finished job, if the minion runs with
	// cache_jobs.
	Cached(jid string) (*value.Map, bool)
}

// Job is one running job.
type Job struct {
	JID string
	// PID is the process in which the job runs.
	PID int
	// Load is the publication: fun, arg, tgt, tgt_type, jid, ret, user, ….
	Load *value.Map
}
