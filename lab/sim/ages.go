package sim

import (
	"context"
	"slices"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/returners"
)

// keepJobs is keep_jobs_seconds where clocks jump.
const keepJobs = 24 * time.Hour

// cleanUps are when old jobs are removed there, since the start: soon, and after a clock
// that stays wrong is believed.
var cleanUps = []time.Duration{
	time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, time.Hour, 7 * time.Hour, 8 * time.Hour, 20 * time.Hour,
}

// farAhead is more than jobs are kept.
const farAhead = 26 * time.Hour

// planClocks has wall clocks jump, for a moment or for good, and old jobs removed.
func (w *World) planClocks() {
	if w.o.Faults.Clocks == 0 {
		return
	}
	r := w.o.stream(0x636c6f636b)
	for range w.o.Faults.Clocks {
		n, by := w.nodes[r.IntN(len(w.nodes))], time.Duration(pick(r, 1, 1, -1))*farAhead
		at := r.Int64N(int64(w.o.Faults.Within) + 1)
		lasts := time.Duration(pick(r, 1, 60, 30*3600) * float64(time.Second))
		w.after(at, func() {
			n.skew += by
			w.trace(n, "has a clock that is %s off", n.skew)
			w.after(int64(time.Second)/2, n.cleanUp)
			w.after(int64(lasts), func() {
				n.skew -= by
				w.trace(n, "has a clock that is %s off", n.skew)
			})
		})
	}
	for _, at := range cleanUps {
		for _, n := range w.nodes {
			w.after(int64(at), n.cleanUp)
		}
	}
}

// wall is what the clock of the node's machine shows.
func (n *node) wall() time.Time { return n.w.clock().Add(n.skew) }

// aged is the time by which what is stored grows old.
func (n *node) aged() time.Time {
	switch {
	case n.w.o.sabotage.trustWall:
		return n.wall()
	case n.ages == nil:
		return n.w.clock()
	}
	return n.ages.Now()
}

// openAges begins the clock of ages of one life.
func (n *node) openAges() {
	w := n.w
	if w.o.Faults.Clocks == 0 || w.o.sabotage.trustWall {
		return
	}
	began := w.now
	n.ages = timing.Open(timing.Options{
		Newest: n.disk.newest, Wall: n.wall, Running: func() time.Duration { return time.Duration(w.now - began) }, Log: w.log,
	})
}

// cleanUp removes old jobs: jobstore's Run.
func (n *node) cleanUp() {
	if !n.alive {
		return
	}
	if n.skew >= farAhead {
		n.w.reach(markClockAhead)
	}
	n.tend()
	n.must(n.cleaner.Round(background, func(context.Context) error { return nil }))
}

// unfinished are the jobs that stay however old they are: master's busy.
func (n *node) unfinished() []string {
	jids := slices.Concat(n.engine.Marked(), n.engine.Active())
	if n.queues != nil {
		for _, r := range n.queues.Records() {
			jids = append(jids, r.JID)
		}
	}
	slices.Sort(jids)
	return slices.Compact(jids)
}

// checkAges lets days go by, in which all that is over grows old, and wants it to be gone. A
// life that begins while the wall clock is behind counts ages from there, so they are more.
func (w *World) checkAges(fail func(string, ...any)) {
	if w.o.Faults.Clocks == 0 {
		return
	}
	back := time.Duration(w.o.Faults.Clocks) * farAhead
	for _, pass := range []time.Duration{time.Minute, 7 * time.Hour, keepJobs + back, time.Hour} { // a jump is seen, believed, and all is old
		w.now += int64(pass)
		for _, n := range w.nodes {
			if n.ages != nil {
				n.ages.Look()
			}
		}
	}
	for _, n := range w.nodes {
		n.must(n.cleaner.Round(background, func(context.Context) error { return nil }))
		for _, j := range w.jobs {
			left := 0
			n.disk.EachReturn(j.jid, func(returners.Return) { left++ })
			xs, err := n.disk.GetExpectations(background, j.jid)
			n.must(err)
			_, loaded, err := n.disk.GetLoad(background, j.jid)
			n.must(err)
			if left > 0 || len(xs) > 0 || loaded {
				fail("%s keeps %d returns and %d expectations of %s, which was over days ago", n.id, left, len(xs), j.jid)
			}
		}
	}
}
