package sim

import "testing"

// Batches that a master drives come to their end under faults of every kind: each minion of the
// target runs the job once, all are in one account, and never more than so many are under way.
func TestBatchesEnd(t *testing.T) {
	reached := map[mark]int{}
	for seed := *first; seed < *first+*seeds; seed++ {
		w, err := playOut(t, RandomBatches(seed, *salt))
		if err != nil {
			tell(t, seed, " --batches", err)
		}
		for m, times := range w.marks {
			reached[m] += times
		}
	}
	for _, m := range []mark{markBatch, markBatchRestart, markBatchStopped} {
		if reached[m] == 0 {
			t.Errorf("%d schedules never reached this place: %s", *seeds, m)
		}
	}
}
