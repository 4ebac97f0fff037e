package sim

import (
	"testing"
	"time"
)

// These tests break the rules against hostile peers and jumping clocks.

func TestSimCatchesAMinionThatReturnsForAnother(t *testing.T) {
	catchesAmong(t, true, 1, false, func(uint64) sabotage { return sabotage{anyName: true} })
}

func TestSimCatchesAMinionThatSpeaksAsANode(t *testing.T) {
	catchesAmong(t, true, 1, false, func(uint64) sabotage { return sabotage{anyNode: true, believeNodes: true} })
}

func TestSimCatchesANodeThatSpeaksForOthers(t *testing.T) {
	catchesAmong(t, true, 1, false, func(uint64) sabotage { return sabotage{believeNodes: true} })
}

func TestSimCatchesJobsThatAreOldByTheWallClock(t *testing.T) {
	catchesAmong(t, true, 1, false, func(uint64) sabotage { return sabotage{trustWall: true} })
}

// Hostile peers and clocks change nothing: the rows are those of the same schedule without
// them, and every job ends as soon.
func TestHostilePeersChangeNothing(t *testing.T) {
	for seed := *first; seed < *first+*seeds; seed++ {
		o := RandomOptions(seed, *salt)
		f := Faults{Hostile: o.Faults.Hostile, Clocks: o.Faults.Clocks, Within: 30 * time.Second}
		o.Faults, o.Rehome, o.OutboxRows = f, 0, 0
		if !f.Hostile.any() && f.Clocks == 0 {
			continue
		}
		var rows [2]string
		for i := range rows {
			if i == 1 {
				o.Faults = o.Faults.loud()
			}
			w, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Run(t.Context()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := w.Check(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			rows[i] = w.Report().Rows
		}
		if rows[0] != rows[1] {
			t.Fatalf("seed %d: rows differ from those without hostile peers", seed)
		}
	}
}
