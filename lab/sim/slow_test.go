package sim

import "testing"

// What a node has told and its parent has acknowledged outlives the death of the parent,
// also if the parent's disk is slow and requests come again before they are answered.
// Nothing else goes wrong, so that nothing else has it told again.
func TestAcknowledgedWordsOutliveASlowDisk(t *testing.T) {
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
		t.Error("no request came again while it waited")
	}
}
