//go:build linux

package chaos

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// calmProbes is how many jobs each top runs when minions are guests and no fault excuses them any
// more. Which of the two nodes that know a guest reports it first is random.
const calmProbes = 5

// Report is the result of a round.
type Report struct {
	Schedule Schedule
	Jobs     int // published, probes included
	Accepted int
	Returns  int // rows in SQL
	Lost     int // returns without a row
	Doubled  int
	Due      int // answers to accepted jobs
	Sure     int // those of them without an excuse
	Took     time.Duration
	Settled  time.Duration // from the end of the last fault until the tree was whole and nothing was pending
	Peak     int64         // bytes, highest memory use of a daemon
	PeakOf   string
	Wrong    []string // empty: the round passed
}

func (r Report) String() string {
	s := fmt.Sprintf("seed %d: jobs %d (%d accepted) returns %d lost %d doubled %d sure %d of %d | %.1f s, %.1f to settle | max %s %d MiB | %v",
		r.Schedule.Seed, r.Jobs, r.Accepted, r.Returns, r.Lost, r.Doubled, r.Sure, r.Due, r.Took.Seconds(), r.Settled.Seconds(), r.PeakOf, r.Peak>>20, r.Schedule)
	if len(r.Wrong) > 0 {
		s += "\n  WRONG " + strings.Join(r.Wrong, "\n  WRONG ")
	}
	return s
}

// Round plays a schedule, ends all faults and checks the result. It returns an error if the round
// could not be played; violations are in the report. Do not use the world again after either.
func (w *World) Round(ctx context.Context, s Schedule) (Report, error) {
	began := time.Now()
	r := Report{Schedule: s}
	w.note("round of seed %d: %v", s.Seed, s)
	w.forget(began.Add(-memory))
	playing, heal := context.WithCancel(ctx)
	defer heal()
	played := make(chan error, 1)
	go func() { played <- w.play(playing, s) }()
	jobs, started := w.stream(ctx, s.Tasks)
	heal()
	if err := <-played; err != nil {
		return r, err
	}
	w.note("healed")
	healed := time.Now()
	started()
	settled := w.await(ctx, "the tree settles", w.settled(jobs))
	r.Settled = time.Since(healed)
	var probed error
	if settled == nil {
		var probes []*job
		probes, probed = w.probes(ctx)
		jobs = append(jobs, probes...)
		if probed == nil && w.history().guests() {
			w.rest(ctx)
			for i := 0; i < calmProbes && probed == nil; i++ {
				probes, probed = w.probes(ctx)
				jobs = append(jobs, probes...)
			}
		}
		if probed == nil {
			settled = w.await(ctx, "the tree settles after the last jobs", w.settled(jobs))
		}
	}
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	v, err := w.check(ctx, jobs)
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	if settled == nil {
		if err := w.agree(ctx, v, s, jobs); err != nil {
			return r, fmt.Errorf("check the tops: %w", err)
		}
	}
	for _, err := range []error{settled, probed} {
		if err != nil {
			v.blame("%v", err)
		}
	}
	w.consoles(v)
	r.PeakOf, r.Peak = w.memory(v)
	w.mu.Lock()
	v.faults = append(v.faults, w.falls...)
	w.falls = nil
	w.mu.Unlock()
	r.Jobs, r.Returns, r.Lost, r.Doubled, r.Due, r.Sure, r.Wrong, r.Took = len(jobs), v.returns, v.lost, v.doubled, v.due, v.sure, v.faults, time.Since(began)
	for _, j := range jobs {
		if j.accepted() {
			r.Accepted++
		}
	}
	w.note("%v", r)
	return r, nil
}
