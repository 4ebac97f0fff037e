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

// Master is one that jobs come from and returns go to.
type Master interface {
	Name() string
	// Push stores the return of a job for it.
	Push(jid string, load []byte) error
	// Meant tells whether a publication is for this minion.
	Meant(p wire.Publication) (bool, error)
	// PassOver is told of a publication that is not for this minion: the master may wait for
	// it all the same.
	PassOver(p wire.Publication)
	// Ours tells whether the master is one of ours. A master of Salt's knows by itself whom
	// it meant.
	Ours() bool
	// Env is what functions see of the minion and of this master.
	Env() modules.Env
}

// Options are what Jobs need.
type Options struct {
	Config *config.Minion
	Log    *slog.Logger
	Now    func() time.Time
	// Tracer makes the spans of jobs; nil: none.
	Tracer *tracing.Tracer
	// SignalOther delivers a signal to a job that another process runs.
	SignalOther func(jid string, sig syscall.Signal) error
}

// Jobs are those of one minion.
type Jobs struct {
	Options
	Encoder   delivery.Encoder
	Returners delivery.Returners
	Cache     delivery.Cache

	table  modules.Table
	recent *recent
	slots  *slots
	procs  procDir
	tops   *topCheck // nil: jobs need no signature of the top
	diary  *diary    // nil: what begins is not remembered

	work sync.WaitGroup // running jobs
	ctx  context.Context
	stop context.CancelCauseFunc
}

// errStopped is the cause that ends the context of jobs when the minion stops.
var errStopped = errors.New("the minion was stopped")

// stopGrace is how long stopping waits for jobs to end after they were told to.
const stopGrace = 5 * time.Second

// New prepares to run jobs.
func New(o Options) (*Jobs, error) {
	cfg, b := o.Config, o.Config.Bounds.OrDefault()
	j := &Jobs{
		Options:   o,
		Encoder:   delivery.Encoder{ID: cfg.ID, Depth: b.Depth, MaxFrameSize: cfg.MaxFrameSize},
		Returners: delivery.Returners{Options: cfg, Log: o.Log, Now: o.Now},
		Cache:     delivery.CacheOf(cfg.Cachedir),
		recent:    newRecent(cfg.MinionJidQueueHwm),
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

// OpenDiary has Jobs know what earlier lives of the daemon have begun, and remember what
// begins from now on.
func (j *Jobs) OpenDiary() (err error) {
	if j.diary, err = openDiary(filepath.Join(j.Config.Cachedir, "jids"), j.Config.MinionJidQueueHwm); err != nil {
		return err
	}
	for _, jid := range j.diary.jids() {
		j.recent.know(jid)
	}
	return nil
}

// Stop tells running jobs to end and waits a moment for their returns. A job that
// does not end is reported by the next start, from its proc file.
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

// Close tells running jobs to end, too, and closes the diary.
func (j *Jobs) Close() error {
	j.stop(errStopped)
	if j.diary == nil {
		return nil
	}
	return j.diary.close()
}

// Figures are the jobs at work, those that wait for their turn, and how many may work at
// once.
func (j *Jobs) Figures() (running, waiting, limit int) { return j.slots.figures() }

// Refused counts the jobs that were not what a top has ordered (verify_top).
func (j *Jobs) Refused() uint64 {
	if j.tops == nil {
		return 0
	}
	return j.tops.refused.Load()
}

// UnderWay are the jobs that run and whose returns are not stored as yet. A job goes on
// for a moment after that, and for long where a returner is slow; the master may have the
// return by then.
func (j *Jobs) UnderWay() []string {
	var jids []string
	for _, r := range j.table.Running() {
		if !j.recent.kept(r.JID) && !r.Load.Has("schedule") { // no master waits for what the minion runs by itself
			jids = append(jids, r.JID)
		}
	}
	return jids
}

// Begin enters a job that a master has given, or a call without one, for everybody who
// asks what runs. end has to be called when it has ended.
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
