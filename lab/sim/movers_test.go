package sim

import (
	"fmt"
	"testing"
	"time"
)

// A leaf node dies during jobs, and minions are asked to move. Minions at work are waited for
// where they go, they go home again, and none is missing.
func TestMoversAreWaitedFor(t *testing.T) {
	for seed := *first; seed < *first+*seeds; seed++ {
		if err := playMoves(t, seed, sabotage{}, nil); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// playMoves plays one such schedule and returns the first violation.
func playMoves(t *testing.T, seed uint64, s sabotage, m meddler) error {
	t.Helper()
	o := Options{Seed: seed, Salt: *salt}
	r := o.stream(0x6d6f7665)
	o = Options{
		Seed: seed, Salt: *salt, Shape: RandomShape(r, 12, 4, 5+r.IntN(40)),
		Rehome:   time.Duration(200+r.IntN(800)) * time.Millisecond,
		Failback: time.Duration(pick(r, 2, 10, 60) * float64(time.Second)),
		Faults:   Faults{Loss: 1e-12}, // makes Faults.any true
		Leaf:     Dist{Min: time.Millisecond, Max: time.Duration(pick(r, 2, 30, 200)) * time.Millisecond},
	}
	if r.IntN(3) == 0 {
		o.Shape = o.Shape.WithTops(2)
	}
	if r.IntN(3) == 0 {
		o.Shape = o.Shape.Tie(r, 3)
	}
	for i := range 1 + r.IntN(3) {
		o.Jobs = append(o.Jobs, Job{
			At: time.Duration(i) * time.Second, Top: r.IntN(2),
			Run: Dist{Min: time.Millisecond, Max: time.Duration(pick(r, 5, 20, 90)) * time.Second},
		})
	}
	o.sabotage, o.meddle = s, m
	if m != nil {
		o.MaxEvents = 200_000
	}
	if *seeds == 1 || *traced {
		o.Trace = func(line string) { t.Log(line) }
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var leaves []*node
	for _, n := range w.nodes {
		if len(n.downs) == 0 && len(n.ups) > 0 && len(n.minions) > 0 && len(n.minions[0].siblings()) > 0 {
			leaves = append(leaves, n)
		}
	}
	answers := map[string]bool{}
	within := func() int64 { return 3500e6 + r.Int64N(15e9) }
	for range r.IntN(5) {
		m := w.minion(r.IntN(len(w.ids)))
		w.after(within(), func() { m.askToMove(r.Int64N(20e9)) })
	}
	if len(leaves) > 0 {
		n, d := leaves[r.IntN(len(leaves))], 5e9+r.Int64N(30e9)
		w.after(within(), func() {
			for _, j := range w.jobs { // returns stored at the dead node alone are missing until it is back
				for g := range w.holds(n, j).all() {
					answers[w.ids[g]+j.jid] = true
				}
			}
			w.kill(n, d)
		})
	}
	if err := w.Run(t.Context()); err != nil {
		return err
	}
	if err := w.Check(); err != nil {
		return err
	}
	for _, j := range w.jobs {
		for _, x := range j.runs {
			for id, why := range x.gaveUp {
				if !answers[id+j.jid] {
					return fmt.Errorf("job %s was completed at %s without %s, which was at work on it: %s, %s", j.jid, x.top.id, id, why.Reason, why.Path)
				}
			}
		}
	}
	return nil
}
