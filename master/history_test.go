package master

import (
	"fmt"
	"slices"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// The history of a job comes in pieces. All but the last piece of an expectation are partial, so
// that the job does not look complete, and together they are complete. A job with 10 direct
// minions and 7 behind a node, 5 of them missing, in pieces of 3.
func TestHistoryInPieces(t *testing.T) {
	r := belowATop(t)
	r.start()
	var own, below []string
	for i := range 10 {
		own = append(own, fmt.Sprintf("own-%02d", i))
	}
	gone := map[string]string{}
	for i := range 5 {
		gone[fmt.Sprintf("gone-%d", i)] = "No response"
	}
	below = []string{"b-1", "b-2"}
	if _, err := r.store.Save(t.Context(), returners.Batch{Expectations: []returners.Expectation{
		{JID: someJob, Minions: own, State: returners.StateAnswered}, // not published there
		{JID: someJob, Node: "mid", Minions: below, Missing: gone, State: returners.StateAnswered},
	}}); err != nil {
		t.Fatal(err)
	}
	const most = 3
	heard, unreachable, missing := map[string][]string{}, []string{}, []string{}
	last := map[string]bool{} // by node: the last piece was seen
	for e := range r.Reports(someJob, most) {
		d, err := wire.DecodeMap(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if e.Tag != someJob {
			m := d.Map("absent")
			if len(m.Keys()) > most {
				t.Errorf("%d missing in one report", len(m.Keys()))
			}
			for _, k := range m.Keys() {
				missing = append(missing, k.(string))
			}
			continue
		}
		ours := d.Map("mom")
		node := ours.String("node")
		minions, away := wire.Texts(d.List("minions")), ours.Map("unreachable").Keys()
		if len(minions)+len(away) > most {
			t.Errorf("%d minions in one report", len(minions)+len(away))
		}
		if last[node] {
			t.Errorf("%q reports more after its last report", node)
		}
		last[node] = !ours.Bool("partial")
		heard[node] = append(heard[node], minions...)
		for _, k := range away {
			unreachable = append(unreachable, k.(string))
		}
	}
	if !slices.Equal(heard[""], own) || last[""] || !slices.Equal(heard["mid"], below) || !last["mid"] {
		t.Errorf("reports of %v, the last of %v", heard, last)
	}
	if len(unreachable) != len(gone) || len(missing) != len(gone) {
		t.Errorf("away are %v and %v", unreachable, missing)
	}
}
