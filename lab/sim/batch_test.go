package sim

import "testing"

// Batches that a master drives end under faults of every kind: each minion of the target runs the
// job once, is in one state, and the size of the batch is never exceeded.
func TestBatchesEnd(t *testing.T) {
	reached := map[mark]int{}
	for seed := *first; seed < *first+*seeds; seed++ {
		w, err := playOut(t, RandomBatches(seed, *salt))
		if err != nil {
			failSeed(t, seed, " --batches", err)
		}
		for m, times := range w.marks {
			reached[m] += times
		}
	}
	for _, m := range []mark{markBatch, markBatchRestart, markBatchStopped} {
		if reached[m] == 0 {
			t.Errorf("%d schedules never reached: %s", *seeds, m)
		}
	}
}
