package sim

import "testing"

// What is broken here are the rules for minions that move to a sibling and back.

// movesCatch plays schedules in which minions move until one is told to be broken.
func movesCatch(t *testing.T, s sabotage) {
	t.Helper()
	for seed := uint64(1); seed < 3000; seed++ {
		if err := playMoves(t, seed, s, nil); err != nil {
			t.Logf("caught with seed %d: %.200v", seed, err)
			return
		}
	}
	t.Error("3000 schedules did not notice")
}

func TestSimCatchesANodeThatAdoptsNothing(t *testing.T) {
	movesCatch(t, sabotage{adoptNothing: true})
}

func TestSimCatchesAMinionThatComesHomeInSilence(t *testing.T) {
	movesCatch(t, sabotage{quietReturn: true})
}

func TestSimCatchesAMoveThatIsNoMoreThanAClaim(t *testing.T) {
	catchesFrom(t, 2070, false, func(uint64) sabotage { return sabotage{movedIsPlain: true} })
}

func TestSimCatchesGuestsThatAreToldAsAllANodeHas(t *testing.T) {
	catchesFrom(t, 2070, false, func(uint64) sabotage { return sabotage{wholeStory: true} })
}

// A minion that announces what it brings has the parents told of it. What one brings in
// silence is the case for the rule that all of them are owed it.
func TestSimCatchesBroughtReturnsThatOneParentGets(t *testing.T) {
	catchesFrom(t, 1390, false, func(uint64) sabotage { return sabotage{oweOne: true, quietReturn: true} })
}
