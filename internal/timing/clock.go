package timing

import (
	"log/slog"
	"sync"
	"time"
)

// Options of a [Clock]. Zero values mean the defaults.
type Options struct {
	// File is where the clock is written down for the next life of the process; "":
	// nowhere, each life begins with the wall clock.
	File string
	// Newest is when, by an earlier life's clock, the youngest thing was stored that
	// is aged by it. It stands in for a File that is not there. Zero: nothing is
	// stored.
	Newest time.Time
	// Tolerance is how far the wall clock may stray between two looks without that
	// being a jump. Default a minute.
	Tolerance time.Duration
	// Downtime is the most that passes over a restart. Default an hour.
	Downtime time.Duration
	// MinWait and MaxWait bound how long a new time has to hold before it is believed
	// without an operator; in between it is as long as the jump. Default ten minutes
	// and six hours.
	MinWait, MaxWait time.Duration
	// Wall is the wall clock. Default time.Now.
	Wall func() time.Time
	// Running is how long something has been running by a clock that nobody sets.
	// Default: how long the Clock is open.
	Running func() time.Duration
	Log     *slog.Logger // default slog.Default
}

// Jump is a wall clock that does not stand where it should.
type Jump struct {
	// By is how far it went; below zero: back.
	By time.Duration
	// Down tells that it went on while the process did not run, so that it may have
	// been right all the time.
	Down bool
	// Left is for how long it has still to stand there until it is believed.
	Left time.Duration
}

// Clock is safe for concurrent use.
type Clock struct {
	o Options

	mu    sync.Mutex
	start time.Time     // where the clock stood when running was zero
	ahead time.Duration // how far the wall clock is ahead of this one, as it should be
	jump  Jump          // By 0: none
	since time.Duration // running, when the jump was seen
	jumps uint64
}

// Open reads where an earlier life has left the clock.
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

// begin sets the clock by the earlier life, if there was one.
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

// plain takes the monotonic reading out of a time: differences are those of the
// wall clock.
func plain(t time.Time) time.Time { return t.Round(0).UTC() }

// Now is the time by which ages are counted. It never goes back, and never faster
// than the process runs.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	//mutant:ages-by-a-steady-clock
	return c.start.Add(c.o.Running())
}

// Steady tells whether the wall clock stands where it should. It looks now. While it
// says no, nothing is to be deleted by age.
//
//mutant:clock-jump-is-seen
func (c *Clock) Steady() bool {
	_, jumped := c.Look()
	return !jumped
}

// Look compares the two clocks and gives the jump that is not confirmed yet.
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

// found notes a jump and tells it.
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

// wait is how long a new time has to hold.
func (c *Clock) wait(by time.Duration) time.Duration {
	return min(max(by, -by, c.o.MinWait), c.o.MaxWait)
}

// believe takes the wall clock for right. No age changes by that.
func (c *Clock) believe(off time.Duration) {
	c.ahead += off
	c.jump = Jump{}
}

// Confirm says that the wall clock is right as it stands. It tells which jump that
// ends; false: there was none.
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

// Jumps counts the jumps that were seen.
func (c *Clock) Jumps() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.jumps
}
