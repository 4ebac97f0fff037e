package timing

import (
	"log/slog"
	"sync"
	"time"
)

// Options are the options of a [Clock]. Zero values mean the defaults.
type Options struct {
	// File stores the clock for the next run of the process. If "", each run begins with the
	// wall clock.
	File string
	// Newest is the time, by the clock of an earlier run, at which the newest stored item was
	// stored. It replaces a missing File. Zero means that nothing is stored.
	Newest time.Time
	// Tolerance is the difference of the wall clock between two checks above which it counts as
	// a jump. Default a minute.
	Tolerance time.Duration
	// Downtime is the longest time that passes over a restart. Default an hour.
	Downtime time.Duration
	// MinWait and MaxWait bound how long a new time must hold before it is accepted without an
	// operator; in between it is the length of the jump. Default ten minutes and six hours.
	MinWait, MaxWait time.Duration
	// Wall is the wall clock. Default time.Now.
	Wall func() time.Time
	// Running returns an elapsed time by a clock that cannot be set. Default: since the Clock
	// was opened.
	Running func() time.Duration
	Log     *slog.Logger // default slog.Default
}

// Jump describes a wall clock that is not where it should be.
type Jump struct {
	// By is the length of the jump; negative for a jump back.
	By time.Duration
	// Down reports that the jump happened while the process did not run, so that the wall clock
	// may be right.
	Down bool
	// Left is how long the new time must still hold before it is accepted.
	Left time.Duration
}

// Clock measures ages. It is safe for concurrent use.
type Clock struct {
	o Options

	mu    sync.Mutex
	start time.Time     // the clock at running zero
	ahead time.Duration // expected difference between the wall clock and this one
	jump  Jump          // By 0 means none
	since time.Duration // value of running when the jump was seen
	jumps uint64
}

// Open reads the clock of an earlier run and continues it.
func Open(o Options) *Clock {
	set := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	set(&o.Tolerance, time.Minute)
	set(&o.Downtime, time.Hour)
	set(&o.MinWait, 10*time.Minute)
	set(&o.MaxWait, 6*time.Hour)
	if o.Wall == nil {
		o.Wall = time.Now
	}
	if o.Running == nil {
		began := time.Now()
		o.Running = func() time.Duration { return time.Since(began) }
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	c := &Clock{o: o}
	c.begin()
	return c
}

// begin sets the clock from the earlier run, if there was one.
func (c *Clock) begin() {
	running, wall := c.o.Running(), plain(c.o.Wall())
	left, was := c.read()
	if left.IsZero() {
		left, was = c.o.Newest, c.o.Newest
	}
	if left.IsZero() || was.Equal(c.o.Newest) && was.After(wall) { // what is stored was stamped by a wrong clock: it is kept for longer
		c.start = wall.Add(-running)
		return
	}
	gap := wall.Sub(was)
	step := min(max(gap, 0), c.o.Downtime)
	c.start = left.Add(step - running)
	c.ahead = was.Sub(left)
	switch off := gap - step; {
	case off > c.o.Tolerance, off < -c.o.Tolerance:
		c.found(Jump{By: off, Down: off > 0}, running)
	default:
		c.ahead += off
	}
}

// plain removes the monotonic reading of a time, so that differences are those of the wall
// clock.
func plain(t time.Time) time.Time { return t.Round(0).UTC() }

// Now returns the time for computing ages. It never goes back, and is never faster than the
// process runs.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	//mutant:ages-by-a-steady-clock
	return c.start.Add(c.o.Running())
}

// Steady reports whether the wall clock is where it should be. It checks now. While it returns
// false, nothing may be deleted by age.
//
//mutant:clock-jump-is-seen
func (c *Clock) Steady() bool {
	_, jumped := c.Look()
	return !jumped
}

// Look compares the two clocks and returns the jump that is not confirmed yet.
func (c *Clock) Look() (Jump, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	running := c.o.Running()
	off := plain(c.o.Wall()).Sub(c.start.Add(running)) - c.ahead
	switch {
	case near(off, 0, c.o.Tolerance):
		if c.jump.By != 0 {
			c.o.Log.Warn("wall clock restored, old jobs are removed again", "jumped", c.jump.By)
			c.jump = Jump{}
		}
		c.ahead += off // it is being slewed, or runs at another rate
	case c.jump.By == 0, !near(off, c.jump.By, c.o.Tolerance):
		c.found(Jump{By: off}, running)
	case running-c.since >= c.wait(c.jump.By):
		c.o.Log.Warn("wall clock stable, old jobs are removed again", "jumped", c.jump.By)
		c.believe(off)
	default:
		c.jump.Left = c.wait(c.jump.By) - (running - c.since)
	}
	return c.jump, c.jump.By != 0
}

func near(a, b, tolerance time.Duration) bool { return a-b <= tolerance && b-a <= tolerance }

// found records and logs a jump.
func (c *Clock) found(j Jump, running time.Duration) {
	j.Left = c.wait(j.By)
	c.jump, c.since = j, running
	c.jumps++
	text := "wall clock jumped, old jobs are not removed"
	if j.Down {
		text = "wall clock far ahead after a restart, old jobs are not removed"
	}
	c.o.Log.Warn(text, "jumped", j.By.Round(time.Second), "believed_in", j.Left.Round(time.Second), "hint", "salt-run clock.confirm, if the clock is right") //nolint:sloglint // one of two constants
}

// wait returns how long a new time must hold.
func (c *Clock) wait(by time.Duration) time.Duration {
	return min(max(by, -by, c.o.MinWait), c.o.MaxWait)
}

// believe accepts the wall clock. No age changes by that.
func (c *Clock) believe(off time.Duration) {
	c.ahead += off
	c.jump = Jump{}
}

// Confirm accepts the wall clock as it is. It returns the jump that this ends; false means that
// there was none.
func (c *Clock) Confirm() (Jump, bool) {
	j, jumped := c.Look()
	if !jumped {
		return j, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.o.Log.Warn("wall clock confirmed, old jobs are removed again", "jumped", c.jump.By)
	c.believe(c.jump.By)
	return j, true
}

// Jumps returns the number of jumps that were seen.
func (c *Clock) Jumps() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.jumps
}
