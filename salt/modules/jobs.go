package modules

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/momtree/mom/value"
)

// Table is a [JobTable] in memory. The zero value is ready to use.
type Table struct {
	// CacheFn returns the saved return of a finished job (cache_jobs); may be nil.
	CacheFn func(jid string) (*value.Map, bool)

	mu   sync.Mutex
	jobs map[string]*entry
}

type entry struct {
	job Job
	ctl *Control
}

var _ JobTable = (*Table)(nil)

// Begin adds a job and returns its context. end removes the job and must be called. Begin
// returns an error if the jid is running already.
func (t *Table) Begin(ctx context.Context, load *value.Map) (jobCtx context.Context, end func(), err error) {
	jid := load.String("jid")
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.jobs == nil {
		t.jobs = map[string]*entry{}
	}
	if t.jobs[jid] != nil {
		return nil, nil, fmt.Errorf("job %s runs already", jid)
	}
	jobCtx, ctl := WithControl(ctx)
	t.jobs[jid] = &entry{job: Job{JID: jid, PID: os.Getpid(), Load: load}, ctl: ctl}
	return jobCtx, func() {
		t.mu.Lock()
		delete(t.jobs, jid)
		t.mu.Unlock()
		ctl.End()
	}, nil
}

// Running returns the running jobs, oldest jid first.
func (t *Table) Running() []Job {
	t.mu.Lock()
	defer t.mu.Unlock()
	jobs := make([]Job, 0, len(t.jobs))
	for _, e := range t.jobs {
		jobs = append(jobs, e.job)
	}
	slices.SortFunc(jobs, func(a, b Job) int { return strings.Compare(a.JID, b.JID) })
	return jobs
}

// Find returns one running job.
func (t *Table) Find(jid string) (Job, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.jobs[jid]
	if !ok {
		return Job{}, false
	}
	return e.job, true
}

// Signal sends sig to a running job, see [Control.Signal].
func (t *Table) Signal(jid string, sig syscall.Signal) error {
	t.mu.Lock()
	e, ok := t.jobs[jid]
	t.mu.Unlock()
	if !ok {
		return fmt.Errorf("signal job %s: %w", jid, ErrNoJob)
	}
	e.ctl.Signal(sig)
	return nil
}

// Cached returns the saved return of a finished job.
func (t *Table) Cached(jid string) (*value.Map, bool) {
	if t.CacheFn == nil {
		return nil, false
	}
	return t.CacheFn(jid)
}
