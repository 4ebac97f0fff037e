package schedule

import (
	"slices"
	"time"
)

// entry is a job and when it runs next.
type entry struct {
	Job
	key string // in the option

	next  time.Time     // by the wall, without the splay; zero: never again
	age   time.Duration // an interval: the next run by the age, without the splay
	delay time.Duration // the splay of that run
	drawn bool          // the delay is
	start bool          // run_on_start, and it has not run yet

	looked    bool      // at a tick
	last      time.Time // run
	lastDue   time.Time // what was due by the wall last
	skipped   string    // why it did not run when it was due last; "": it did
	skippedAt time.Time
}

// plan finds the next run from now on.
func (e *entry) plan(now Moment) {
	e.drawn, e.delay = false, 0
	if e.trigger == nil {
		e.age = now.Age + e.every
		return
	}
	e.next = after(e.trigger, now.Wall)
}

// repeat is how far the wall clock may go back without that what has run runs again.
const repeat = time.Hour

// replan finds the next run after the wall clock went back.
func (e *entry) replan(now Moment) {
	from := now.Wall
	//mutant:schedule-clock-goes-back
	if e.lastDue.After(from) && (e.lastDue.Sub(from) < repeat || e.once()) {
		from = e.lastDue
	}
	e.drawn, e.delay = false, 0
	e.next = after(e.trigger, from)
}

// once tells whether it runs one time only.
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

// due tells whether its time has come, and by how much it is late. It draws the delay of
// the run when there is one to draw.
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

// ran goes on to the next time.
func (e *entry) ran(now Moment) {
	if e.trigger != nil && (e.next.IsZero() || e.next.Add(e.delay).After(now.Wall)) {
		return // it ran beside its times: by run_on_start or run_explicit
	}
	if late := now.Age - e.age; e.trigger == nil && e.delay == 0 && late >= 0 && late < time.Second {
		e.age += e.every // in step: it is no later each time
		return
	}
	e.lastDue = e.next
	e.plan(now)
}

// outside tells whether now is out of its range.
func (e *entry) outside(now time.Time) bool { return e.rng != nil && !e.rng.has(now) }

// maxExplicit bounds the times of run_explicit.
const maxExplicit = 1000

// rerun adds a time at which it runs as well.
func (e *entry) rerun(at time.Time) {
	if len(e.runAt) < maxExplicit && !slices.ContainsFunc(e.runAt, at.Equal) {
		e.runAt = append(e.runAt, at)
		slices.SortFunc(e.runAt, time.Time.Compare)
	}
}
