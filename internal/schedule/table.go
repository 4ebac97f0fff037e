package schedule

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Moment is the current time, by both clocks.
type Moment struct {
	Wall time.Time
	// Age is how long the process has been running, by a clock that cannot be set.
	Age time.Duration
}

// Options are the options of a [Table]. Zero values mean the defaults.
type Options struct {
	// Loop is the longest interval between ticks: the option loop_interval. Default a second.
	Loop time.Duration
	// Random returns a number from 0 to n-1. Default: math/rand.
	Random func(n int) int
	// Whens returns the date of a name in the pillar or the grains of a minion.
	Whens func(name string) (any, bool)
	// Check returns an error if a valid job cannot be run; it may be nil.
	Check func(j *Job) error
	// Idle keeps jobs without a time, which run on request only.
	Idle bool
	// Unknown is called for unknown fields, which are then ignored. If nil, a job with such a
	// field is left out.
	Unknown func(job, field string)
}

// Table holds the jobs of a schedule, with their last and next runs. It is safe for concurrent
// use.
type Table struct {
	o Options

	mu      sync.Mutex
	entries []*entry
	enabled bool
	instead string  // skip_function
	skip    *window // skip_during_range of the whole schedule
	splay   splay   // of the whole schedule
	was     Moment  // the moment of the last tick
	running map[string]int
}

// New returns a Table without jobs.
func New(o Options) *Table {
	if o.Loop <= 0 {
		o.Loop = time.Second
	}
	if o.Random == nil {
		o.Random = rand.IntN
	}
	return &Table{o: o, enabled: true, running: map[string]int{}}
}

// MaxJobs bounds the jobs of a schedule.
const MaxJobs = 10000

// Load replaces the schedule with m, the value of the option. Unchanged jobs keep their state.
// Invalid entries are left out and returned as faults.
func (t *Table) Load(m *value.Map, now Moment) (faults []error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &reader{m: m, o: t.o, now: now.Wall}
	t.enabled, t.instead, t.skip, t.splay = r.flag("enabled", true), m.String("skip_function"), r.window("skip_during_range"), r.splay("splay")
	if r.err != nil {
		faults = append(faults, fmt.Errorf("schedule: %w", r.err))
	}
	old := map[string]*entry{}
	for _, e := range t.entries {
		old[e.key] = e
	}
	t.entries = nil
	for _, k := range m.Keys() {
		key := pyfmt.Str(k)
		if slices.Contains(global, key) {
			continue
		}
		v, _ := m.GetKey(k)
		e, err := t.entry(key, v, old[key], now)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("schedule: job %s is ignored: %w", key, err))
		case len(t.entries) == MaxJobs:
			return append(faults, fmt.Errorf("schedule: job %s and those behind it are ignored: there may be %d", key, MaxJobs))
		default:
			t.entries = append(t.entries, e)
		}
	}
	return faults
}

// entry reads one job, or keeps the existing one if it is unchanged.
func (t *Table) entry(key string, v any, old *entry, now Moment) (*entry, error) {
	m, ok := v.(*value.Map)
	if !ok {
		return nil, fmt.Errorf("it should have a dict value, not %s", pyfmt.Str(v))
	}
	j, err := Parse(key, m, t.o, now.Wall)
	if err == nil && t.o.Check != nil {
		err = t.o.Check(j)
	}
	if err != nil {
		return nil, err
	}
	if old != nil && old.finger == j.finger {
		return old, nil
	}
	e := &entry{Job: *j, key: key, start: j.onStart}
	e.plan(now)
	if old != nil {
		e.last = old.last
	}
	if old != nil && old.timing == j.timing { // it stays in step
		e.next, e.age, e.delay, e.drawn, e.start, e.lastDue, e.looked = old.next, old.age, old.delay, old.drawn, old.start, old.lastDue, old.looked
	}
	e.runAt = slices.DeleteFunc(e.runAt, func(at time.Time) bool { return at.Before(now.Wall.Add(-t.o.Loop)) })
	slices.SortFunc(e.runAt, time.Time.Compare)
	return e, nil
}

// Run is a run of a job that is due.
type Run struct {
	*Job
	// Function is the function to run: the job's, or skip_function.
	Function string
	// Missed is the delay of the run; 0 if it is on time.
	Missed time.Duration
}

// Tick returns the jobs to run now, each at most once, in their order. The caller must call
// [Table.Done] when a run has ended.
func (t *Table) Tick(now Moment) (due []Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	back := !t.was.Wall.IsZero() && now.Wall.Sub(t.was.Wall)-(now.Age-t.was.Age) < -time.Second
	t.was = now
	for _, e := range t.entries {
		if back && e.trigger != nil {
			e.replan(now)
		}
		e.looked = true
		if r, ok := t.look(e, now); ok {
			t.running[e.Name]++
			e.last, e.skipped = now.Wall, ""
			due = append(due, r)
		}
	}
	return due
}

// Done records that a run of a job has ended.
func (t *Table) Done(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[name]--; t.running[name] <= 0 {
		delete(t.running, name)
	}
}

// Now returns a run of a job on request. found is false if no job has that name, and free is
// false if too many runs of it are active.
func (t *Table) Now(name string) (r Run, found, free bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.entries, func(e *entry) bool { return e.key == name })
	if i < 0 {
		return r, false, false
	}
	e := t.entries[i]
	if !t.free(e) {
		return r, true, false
	}
	t.running[e.Name]++
	return Run{Job: &e.Job, Function: e.Function}, true, true
}

// free reports whether one more run is allowed.
func (t *Table) free(e *entry) bool { return e.MaxRunning == 0 || t.running[e.Name] < e.MaxRunning }

// Reasons why a due job did not run, as in Salt.
const (
	skipDisabled = "disabled"
	skipRunning  = "maxrunning"
	skipRange    = "not_in_range"
	skipInRange  = "in_skip_range"
	skipExplicit = "skip_explicit"
	skipUntil    = "until_passed"
	skipAfter    = "after_not_passed"
)

// look reports whether a job must run now.
func (t *Table) look(e *entry, now Moment) (r Run, run bool) {
	if e.start {
		e.start = false
		return t.decide(e, now, Run{Job: &e.Job, Function: e.Function}, "")
	}
	missed, due := e.due(now, cmp.Or(e.Job.splay, t.splay), t.o.Random)
	r = Run{Job: &e.Job, Function: e.Function, Missed: missed}
	for len(e.runAt) > 0 && !now.Wall.Before(e.runAt[0]) {
		due, e.runAt = true, e.runAt[1:]
	}
	if !due {
		return r, false
	}
	reason := t.kept(e, now.Wall.Add(-missed), now.Wall)
	if t.instead != "" && (reason == skipRange && !e.rng.invert || reason == skipInRange && !e.outside(now.Wall) || reason == skipExplicit) {
		r.Function, reason = t.instead, t.over(e, now.Wall)
	}
	return t.decide(e, now, r, reason)
}

// decide returns the run of a due job, unless there is a reason to skip it.
func (t *Table) decide(e *entry, now Moment, r Run, reason string) (Run, bool) {
	switch {
	case !t.enabled || !e.Enabled:
		reason = skipDisabled
	//mutant:schedule-runs-at-once
	case reason == "" && !t.free(e):
		reason = skipRunning
	}
	if reason == "" {
		e.ran(now)
		return r, true
	}
	e.skipped, e.skippedAt = reason, now.Wall
	// In Salt an interval outside of its range stays due: it runs as soon as the range begins.
	if e.trigger != nil || reason != skipRange && (reason != skipInRange || !e.outside(now.Wall)) {
		e.ran(now)
	}
	return r, false
}

// kept returns the reason why a due job is skipped; "" if it is not.
func (t *Table) kept(e *entry, at, now time.Time) string {
	if e.outside(now) {
		if e.rng.invert {
			return skipInRange
		}
		return skipRange
	}
	if w := cmp.Or(e.Job.skip, t.skip); w != nil && w.has(now) {
		if e.afterSkip {
			e.rerun(w.end.at(now).Add(t.o.Loop))
		}
		return skipInRange
	}
	for _, s := range e.skipAt {
		if !at.Before(s) && !at.After(s.Add(t.o.Loop)) {
			return skipExplicit
		}
	}
	return t.over(e, now)
}

// over returns the reason if until has passed or after has not.
func (t *Table) over(e *entry, now time.Time) string {
	switch {
	case e.until != nil && !e.until.at(now).After(now):
		return skipUntil
	case e.after != nil && !e.after.at(now).Before(now):
		return skipAfter
	}
	return ""
}
