package sim

import "testing"

// These tests break the rules for minions that move to a sibling and back.

// movesCatch plays schedules in which minions move until Run or Check returns an error.
func movesCatch(t *testing.T, s sabotage) {
	t.Helper()
	for seed := uint64(1); seed < 3000; seed++ {
		if err := playMoves(t, seed, s, nil); err != nil {
			t.Logf("caught with seed %d: %.200v", seed, err)
			return
		}
	}
	t.Error("3000 schedules did not catch it")
}

func TestSimCatchesANodeThatAdoptsNothing(t *testing.T) {
	movesCatch(t, sabotage{adoptNothing: true})
}

func TestSimCatchesAMinionThatReturnsHomeUnannounced(t *testing.T) {
	movesCatch(t, sabotage{quietReturn: true})
}

func TestSimCatchesMovesTreatedAsPlainExpectations(t *testing.T) {
	catchesFrom(t, 2070, false, func(uint64) sabotage { return sabotage{movedIsPlain: true} })
}

func TestSimCatchesGuestsReportedAsCompleteExpectations(t *testing.T) {
	catchesFrom(t, 2070, false, func(uint64) sabotage { return sabotage{completeReports: true} })
}

// A minion that announces the jobs it brings makes the node report them to all parents. If it does
// not announce them, their returns must still go to all parents.
func TestSimCatchesBroughtReturnsThatOnlyOneParentGets(t *testing.T) {
	catchesFrom(t, 1390, false, func(uint64) sabotage { return sabotage{queueForOne: true, quietReturn: true} })
}
