package sim

import (
	"fmt"
	"testing"
)

// once hits the nth time it is asked, and never again.
func once(nth int) func() bool {
	n := 0
	return func() bool { n++; return n == nth }
}

// catches plays schedules with a broken tree until one is told to be broken. The
// same schedules with a sound tree must pass.
func catches(t *testing.T, insist bool, breakIt func(seed uint64) sabotage) {
	t.Helper()
	catchesFrom(t, 1, insist, breakIt)
}

// catchesFrom begins with another seed, shortly before the first that notices what is rare.
func catchesFrom(t *testing.T, from uint64, insist bool, breakIt func(seed uint64) sabotage) {
	t.Helper()
	catchesAmong(t, false, from, insist, breakIt)
}

// catchesAmong may have hostile peers in the schedules, and clocks that jump.
func catchesAmong(t *testing.T, hostile bool, from uint64, insist bool, breakIt func(seed uint64) sabotage) {
	t.Helper()
	for seed := from; seed < from+3000; seed++ {
		o := RandomOptions(seed, 0)
		o.Insist = insist
		o.MaxEvents = 200_000 // a broken tree may never rest
		if !hostile {
			o.Faults = o.Faults.loud()
			for i := range o.Jobs {
				o.Jobs[i].Queue = 0
			}
		}
		if o.sabotage = breakIt(seed); o.sabotage.forget != nil {
			o.Faults = Faults{} // a lost expectation may look like a lost node otherwise
		}
		w, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Run(t.Context())
		if err == nil {
			err = w.Check()
		}
		if err == nil && insist {
			flat := o
			flat.Shape, flat.Faults, flat.sabotage = o.Shape.Flat(), Faults{}, sabotage{}
			f, ferr := New(flat)
			if ferr != nil {
				t.Fatal(ferr)
			}
			if ferr := f.Run(t.Context()); ferr != nil {
				t.Fatal(ferr)
			}
			if w.Report().Rows != f.Report().Rows {
				err = fmt.Errorf("other rows than a flat master: %w", differ(w, f))
			}
		}
		if err != nil {
			t.Logf("caught with seed %d: %.200v", seed, err)
			return
		}
	}
	t.Error("3000 schedules did not notice")
}

func TestSimCatchesAnEarlyAcknowledgement(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{ackEarly: func() bool { return true }} })
}

func TestSimCatchesASkippedDedupe(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{skipDedupe: once(1)} })
}

func TestSimCatchesAForgottenExpectation(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{forget: once(1)} })
}

func TestSimCatchesAMasterThatForgetsOpenJobs(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{deafStart: true} })
}

func TestSimCatchesANodeThatDoesNotTellExpectationsAgain(t *testing.T) {
	catchesFrom(t, 815, false, func(uint64) sabotage { return sabotage{keepSilent: true, keepHeard: true} })
}

func TestSimCatchesPublicationsThatAreNotGivenAgain(t *testing.T) {
	catches(t, true, func(uint64) sabotage { return sabotage{noRepeat: true} })
}

func TestSimCatchesMissingMinionsThatAreNotToldAgain(t *testing.T) {
	catchesFrom(t, 840, false, func(uint64) sabotage { return sabotage{forgetClosed: true, keepHeard: true} })
}

func TestSimCatchesWordsAcknowledgedBeforeTheyAreStored(t *testing.T) {
	catchesFrom(t, 160, false, func(uint64) sabotage { return sabotage{ackUnbooked: true} })
}

func TestSimCatchesAFullOutboxThatLooksLikeABadRow(t *testing.T) {
	catchesFrom(t, 8300, false, func(uint64) sabotage { return sabotage{fullFails: true} })
}

func TestSimCatchesAReturnThatOneOfTwoParentsGets(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{oneIsEnough: true} })
}

func TestSimCatchesANodeThatForgetsWhoAsked(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{forgetAskers: true} })
}

func TestSimCatchesASecondParentWithoutTheEarlierReturns(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{notAgain: true} })
}

func TestSimCatchesEarlierReturnsThatARestartForgets(t *testing.T) {
	catchesFrom(t, 250, false, func(uint64) sabotage { return sabotage{forgetOwed: true} })
}

func TestSimCatchesWordForParentsThatDidNotAsk(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{tellAll: true} })
}

func TestSimCatchesEarlyReturnsThatAreNotCounted(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{lateCount: true} })
}

func TestSimCatchesAnEndThatOneOfTwoParentsHasHeard(t *testing.T) {
	catchesFrom(t, 1210, false, func(uint64) sabotage { return sabotage{oneHasHeard: true, keepHeard: true} })
}

func TestSimCatchesAJobThatRunsTwice(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{runAgain: true} })
}

func TestSimCatchesWholeResultsInThePlaceOfDigests(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{wholeUp: true} })
}

func TestSimCatchesWordsHeardLate(t *testing.T) {
	catchesFrom(t, 2260, false, func(uint64) sabotage { return sabotage{hearLate: true} })
}
