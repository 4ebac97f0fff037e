package sim

import "testing"

// Reports that the parent has acknowledged survive the death of the parent, even if its disk is
// slow and requests are repeated before they are answered. No other fault happens, so nothing else
// makes the node report again.
func TestAcknowledgedReportsSurviveASlowDisk(t *testing.T) {
	waited := 0
	for seed := *first; seed < *first+*seeds; seed++ {
		o := RandomOptions(seed, *salt)
		o.Faults, o.Rehome, o.Leaf, o.Older = Faults{Lag: 6, Repeat: 0.5}, 0, Dist{}, 0
		w, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if err = w.Run(t.Context()); err == nil {
			err = w.Check()
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		waited += w.marks[markRepeatWaits]
	}
	if waited == 0 {
		t.Error("no request was repeated while it waited")
	}
}
