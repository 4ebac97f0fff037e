package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// maxRuns bounds the runs of one schedule at a time.
const maxRuns = 64

// LoopOptions are the dependencies of a [Loop].
type LoopOptions struct {
	Table *Table
	// Moment returns the current time.
	Moment func() Moment
	// JID returns the id of a run.
	JID func() string
	// Do executes a run and returns when it has ended.
	Do  func(ctx context.Context, r Run, jid string)
	Log *slog.Logger
	// Tick is the interval between evaluations. Default a second.
	Tick time.Duration
}

// Loop runs due jobs.
type Loop struct {
	o     LoopOptions
	slots chan struct{}
	wg    sync.WaitGroup
}

// NewLoop returns a Loop that runs nothing before [Loop.Run].
func NewLoop(o LoopOptions) *Loop {
	if o.Tick <= 0 {
		o.Tick = time.Second
	}
	//mutant:schedule-bound
	return &Loop{o: o, slots: make(chan struct{}, maxRuns)}
}

// Run evaluates the table at each tick until ctx ends, and waits for running jobs.
func (l *Loop) Run(ctx context.Context) {
	tick := time.NewTicker(l.o.Tick)
	defer tick.Stop()
	defer l.wg.Wait()
	for {
		l.Look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Look starts the jobs that are due.
func (l *Loop) Look(ctx context.Context) {
	for _, r := range l.o.Table.Tick(l.o.Moment()) {
		missed := ""
		if s := int(r.Missed / time.Second); s > 0 {
			missed = fmt.Sprintf(" (runtime missed by %d seconds)", s)
		}
		l.begin(ctx, r, missed)
	}
}

// Now starts a job on request. found is false if no job has that name; an error is the reason
// why the job does not run.
func (l *Loop) Now(ctx context.Context, name string) (found bool, err error) {
	r, found, free := l.o.Table.Now(name)
	switch {
	case !found:
		return false, nil
	case !free:
		return true, fmt.Errorf("job %s was not started: as many of it run as may", name)
	}
	l.begin(ctx, r, "")
	return true, nil
}

func (l *Loop) begin(ctx context.Context, r Run, missed string) {
	if r.DryRun {
		l.o.Table.Done(r.Name)
		l.o.Log.Debug(fmt.Sprintf("Job %s has 'dry_run' set to True. Not running it.", r.Name)) //nolint:sloglint // Salt's text
		return
	}
	select {
	case l.slots <- struct{}{}:
	default:
		l.o.Table.Done(r.Name)
		l.o.Log.Error("scheduled job skipped: too many running", "job", r.Name, "running", maxRuns)
		return
	}
	jid := l.o.JID()
	l.o.Log.Info(fmt.Sprintf("Running scheduled job: %s%s with jid %s", r.Name, missed, jid)) //nolint:sloglint // Salt's text
	l.wg.Go(func() {
		defer func() {
			<-l.slots
			l.o.Table.Done(r.Name)
		}()
		l.o.Do(ctx, r, jid)
	})
}
