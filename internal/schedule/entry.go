package schedule

import (
	"slices"
	"time"
)

// entry is a job and the time of its next run.
type entry struct {
	Job
	key string // key in the option

	next  time.Time     // by the wall clock, without the splay; zero means never
	age   time.Duration // for an interval, the next run by age, without the splay
	delay time.Duration // the splay of the next run
	drawn bool          // delay is drawn
	start bool          // run_on_start is set, and the job has not run yet

	looked    bool      // evaluated at a tick
	last      time.Time // last run
	lastDue   time.Time // last time by the wall clock at which it was due
	skipped   string    // why it did not run when it was last due; "" if it did
	skippedAt time.Time
}

// plan computes the next run after now.
func (e *entry) plan(now Moment) {
	e.drawn, e.delay = false, 0
	if e.trigger == nil {
		e.age = now.Age + e.every
		return
	}
	e.next = after(e.trigger, now.Wall)
}

// repeat is how far the wall clock may go back without repeating a run.
const repeat = time.Hour

// replan computes the next run after the wall clock went back.
func (e *entry) replan(now Moment) {
	from := now.Wall
	//mutant:schedule-clock-goes-back
	if e.lastDue.After(from) && (e.lastDue.Sub(from) < repeat || e.once()) {
		from = e.lastDue
	}
	e.drawn, e.delay = false, 0
	e.next = after(e.trigger, from)
}

// once reports whether the job runs only one time.
func (e *entry) once() bool {
	_, is := e.trigger.(once)
	return is
}

func after(t trigger, from time.Time) time.Time {
	next, ok := t.next(from)
	if !ok {
		return time.Time{}
	}
	return next
}

// due reports whether the job is due, and by how much it is late. It draws the splay of the
// next run if necessary.
func (e *entry) due(now Moment, s splay, random func(int) int) (missed time.Duration, due bool) {
	if e.trigger == nil && e.every == 0 || e.trigger != nil && e.next.IsZero() {
		return 0, false
	}
	if !e.drawn && s.to > 0 {
		e.drawn = true
		e.delay = time.Duration(s.from+random(s.to-s.from+1)) * time.Second
	}
	if e.trigger == nil {
		missed = now.Age - e.age - e.delay
	} else {
		missed = now.Wall.Sub(e.next) - e.delay
	}
	return max(missed, 0), missed >= 0
}

// ran computes the next run after a run.
func (e *entry) ran(now Moment) {
	if e.trigger != nil && (e.next.IsZero() || e.next.Add(e.delay).After(now.Wall)) {
		return // it ran outside of its times: by run_on_start or run_explicit
	}
	if late := now.Age - e.age; e.trigger == nil && e.delay == 0 && late >= 0 && late < time.Second {
		e.age += e.every // in step: delays do not add up
		return
	}
	e.lastDue = e.next
	e.plan(now)
}

// outside reports whether now is outside of the job's range.
func (e *entry) outside(now time.Time) bool { return e.rng != nil && !e.rng.has(now) }

// maxExplicit bounds the times of run_explicit.
const maxExplicit = 1000

// rerun adds an extra time to run at.
func (e *entry) rerun(at time.Time) {
	if len(e.runAt) < maxExplicit && !slices.ContainsFunc(e.runAt, at.Equal) {
		e.runAt = append(e.runAt, at)
		slices.SortFunc(e.runAt, time.Time.Compare)
	}
}
