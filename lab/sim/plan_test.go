package sim

import (
	"testing"

	"github.com/momtree/mom/topology/plan"
)

// The planner predicts the time of a ping within a factor of two of the simulation.
func TestThePlannerAgrees(t *testing.T) {
	for _, n := range []int{1000, 20_000, 40_000} {
		p, err := plan.Make(plan.Needs{Minions: n, Memory: 512 << 20}, plan.Measured())
		if err != nil {
			t.Fatal(err)
		}
		w, r := play(t, Options{Shape: shape(t, p.Shape)})
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
		if took := r.Jobs[0].Took; took > 2*p.Ping || p.Ping > 2*took {
			t.Errorf("%s: the plan says %s, the simulation took %s", p.Shape, p.Ping, took)
		}
	}
}
