package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/lab/sim"
)

func TestAnnounce(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	now := func() time.Time { return clock }
	small := sim.Options{Shape: sim.Shape{Parents: []int{-1}, Minions: []int{100}}}
	if announce(&out, &small, now); out.Len() > 0 || small.Progress != nil {
		t.Errorf("a small simulation: %q", out.String())
	}
	large := sim.Options{Shape: sim.Shape{Parents: []int{-1, 0}, Minions: []int{0, 1_000_000}}}
	announce(&out, &large, now)
	for _, p := range []struct {
		after time.Duration
		sim.Progress
	}{{time.Second, sim.Progress{Events: 1}}, {5 * time.Second, sim.Progress{Events: 2_000_000, Now: 1500 * time.Millisecond, Waiting: 7}}, {time.Second, sim.Progress{Events: 3}}} {
		clock = clock.Add(p.after)
		large.Progress(p.Progress)
	}
	want := "1000000 minions in 2 nodes, 1 jobs: about 6.7 GB of memory, and 4m20s or more\n" +
		"6s: 2.0 million events, at 1.5s of virtual time, 7 events planned\n"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}

// A simulation reports its progress.
func TestProgressIsCalled(t *testing.T) {
	shape, err := sim.ParseShape("2x3000")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	w, err := sim.New(sim.Options{Shape: shape, Seed: 1, Costs: sim.MeasuredCosts(2), Progress: func(p sim.Progress) {
		if p.Events > 0 {
			calls++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(t.Context()); err != nil || calls == 0 {
		t.Errorf("%v, %d calls", err, calls)
	}
}
