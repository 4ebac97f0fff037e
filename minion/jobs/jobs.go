package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/salt/modules"
)

// Master is a master that sends jobs and gets returns.
type Master interface {
	Name() string
	// Push stores the return of a job for this master.
	Push(jid string, load []byte) error
	// Meant reports whether a publication is for this minion.
	Meant(p wire.Publication) (bool, error)
	// PassOver is called for a publication that is not for this minion. The master may wait for
	// it nevertheless.
	PassOver(p wire.Publication)
	// Ours reports whether the master runs mom. A Python master knows on its own which minions
	// it targeted.
	Ours() bool
	// Env returns the environment of functions: the minion, and this master.
	Env() modules.Env
}

// Options are the dependencies of [Jobs].
type Options struct {
	Config *config.Minion
	Log    *slog.Logger
	Now    func() time.Time
	// Tracer records the spans of jobs; nil records none.
	Tracer *tracing.Tracer
	// SignalOther sends a signal to a job that another process runs.
	SignalOther func(jid string, sig syscall.Signal) error
}

// Jobs are the jobs of one minion.
type Jobs struct {
	Options
	Encoder   delivery.Encoder
	Returners delivery.Returners
	Cache     delivery.Cache

	table   modules.Table
	recent  *recent
	slots   *slots
	procs   procDir
	tops    *topCheck // nil: jobs need no signature of the top
	journal *journal  // nil: started jobs are not recorded

	work sync.WaitGroup // running jobs
	ctx  context.Context
	stop context.CancelCauseFunc
}

// errStopped is the cause that ends the context of jobs when the minion stops.
var errStopped = errors.New("the minion was stopped")

// stopGrace is how long Stop waits for jobs to end.
const stopGrace = 5 * time.Second

// New returns Jobs that run nothing yet.
func New(o Options) (*Jobs, error) {
	cfg, b := o.Config, o.Config.Bounds.OrDefault()
	j := &Jobs{
		Options:   o,
		Encoder:   delivery.Encoder{ID: cfg.ID, Depth: b.Depth, MaxFrameSize: cfg.MaxFrameSize},
		Returners: delivery.Returners{Options: cfg, Log: o.Log, Now: o.Now},
		Cache:     delivery.CacheOf(cfg.Cachedir),
		recent:    newRecent(cfg.MinionJidQueueHwm, b.StartedJobs),
		slots:     newSlots(cfg.ProcessCountMax, b.MinionJobs),
		procs:     procDir(filepath.Join(cfg.Cachedir, "proc")),
	}
	if err := durable.Folder(string(j.procs), 0o700); err != nil {
		return nil, fmt.Errorf("folder of running jobs: %w", err)
	}
	var err error
	if j.tops, err = newTopCheck(cfg, o.Now); err != nil {
		return nil, err
	}
	j.table.CacheFn = j.Cache.Get
	j.ctx, j.stop = context.WithCancelCause(context.Background())
	return j, nil
}

// OpenJournal reads the jobs that earlier runs of the daemon have started, and records new ones
// from now on.
func (j *Jobs) OpenJournal() (err error) {
	if j.journal, err = openJournal(filepath.Join(j.Config.Cachedir, "jids"), j.Config.Bounds.OrDefault().StartedJobs); err != nil {
		return err
	}
	for _, jid := range j.journal.jids() {
		j.recent.know(jid)
	}
	return nil
}

// Stop cancels running jobs and waits up to stopGrace for their returns. The next start reports
// a job that does not end, from its proc file.
func (j *Jobs) Stop() {
	j.stop(errStopped)
	done := make(chan struct{})
	go func() { j.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(stopGrace):
		j.Log.Warn("jobs still running at shutdown", "running", len(j.table.Running()))
	}
}

// Wait returns when no job is running.
func (j *Jobs) Wait() { j.work.Wait() }

// Close cancels running jobs and closes the file of started jobs.
func (j *Jobs) Close() error {
	j.stop(errStopped)
	if j.journal == nil {
		return nil
	}
	return j.journal.close()
}

// Figures returns the number of jobs that run, the number that wait for a slot, and the number
// of slots.
func (j *Jobs) Figures() (running, waiting, limit int) { return j.slots.figures() }

// Refused returns the number of jobs refused because no top has signed them (verify_top).
func (j *Jobs) Refused() uint64 {
	if j.tops == nil {
		return 0
	}
	return j.tops.refused.Load()
}

// UnderWay returns the jobs that run and whose return is not stored yet. A job continues for a
// moment after that, and for longer if a returner is slow; the master may have the return by
// then.
func (j *Jobs) UnderWay() []string {
	var jids []string
	for _, r := range j.table.Running() {
		if !j.recent.kept(r.JID) && !r.Load.Has("schedule") { // no master waits for jobs that the minion starts on its own
			jids = append(jids, r.JID)
		}
	}
	return jids
}

// Begin adds a master's job, or a call without a master, to the table of running jobs. The
// caller must call end when it has ended.
func (j *Jobs) Begin(ctx context.Context, jid, master string, load *wire.Map) (jobCtx context.Context, end func(), err error) {
	jobCtx, leave, err := j.table.Begin(ctx, load)
	if err != nil {
		return nil, nil, err
	}
	if err := j.procs.write(jid, master, load); err != nil {
		j.Log.Error("job not recorded in proc_dir", "jid", jid, "err", err)
	}
	return jobCtx, func() { j.procs.remove(jid); leave() }, nil
}
