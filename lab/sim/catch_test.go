package sim

import (
	"fmt"
	"testing"
)

// once returns a function that returns true on its nth call only.
func once(nth int) func() bool {
	n := 0
	return func() bool { n++; return n == nth }
}

// catches plays schedules with a broken tree until Run or Check returns an error.
func catches(t *testing.T, insist bool, breakIt func(seed uint64) sabotage) {
	t.Helper()
	catchesFrom(t, 1, insist, breakIt)
}

// catchesFrom is catches with another first seed: one shortly before the first that catches a rare fault.
func catchesFrom(t *testing.T, from uint64, insist bool, breakIt func(seed uint64) sabotage) {
	t.Helper()
	catchesAmong(t, false, from, insist, breakIt)
}

// catchesAmong is catchesFrom with hostile peers, jumping clocks and queues in the schedules, if hostile is set.
func catchesAmong(t *testing.T, hostile bool, from uint64, insist bool, breakIt func(seed uint64) sabotage) {
	t.Helper()
	for seed := from; seed < from+3000; seed++ {
		o := RandomOptions(seed, 0)
		o.Insist = insist
		o.MaxEvents = 200_000 // a broken tree may never come to rest
		if !hostile {
			o.Faults = o.Faults.loud()
			for i := range o.Jobs {
				o.Jobs[i].Queue = 0
			}
		}
		if o.sabotage = breakIt(seed); o.sabotage.forget != nil {
			o.Faults = Faults{} // otherwise a lost expectation may look like a lost node
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
				err = fmt.Errorf("rows differ from those of a flat master: %w", differ(w, f))
			}
		}
		if err != nil {
			t.Logf("caught with seed %d: %.200v", seed, err)
			return
		}
	}
	t.Error("3000 schedules did not catch it")
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

func TestSimCatchesANodeThatDoesNotRepeatExpectations(t *testing.T) {
	catchesFrom(t, 815, false, func(uint64) sabotage { return sabotage{keepSilent: true, keepHeard: true} })
}

func TestSimCatchesPublicationsThatAreNotRepeated(t *testing.T) {
	catches(t, true, func(uint64) sabotage { return sabotage{noRepeat: true} })
}

func TestSimCatchesMissingMinionsThatAreNotReportedAgain(t *testing.T) {
	catchesFrom(t, 840, false, func(uint64) sabotage { return sabotage{forgetClosed: true, keepHeard: true} })
}

func TestSimCatchesReportsAcknowledgedBeforeTheyAreStored(t *testing.T) {
	catchesFrom(t, 160, false, func(uint64) sabotage { return sabotage{ackUnbooked: true} })
}

func TestSimCatchesAFullOutboxThatLooksLikeABadRow(t *testing.T) {
	catchesFrom(t, 8300, false, func(uint64) sabotage { return sabotage{fullFails: true} })
}

func TestSimCatchesAReturnThatOnlyOneParentGets(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{oneIsEnough: true} })
}

func TestSimCatchesANodeThatForgetsWhoAsked(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{forgetAskers: true} })
}

func TestSimCatchesASecondParentWithoutTheEarlierReturns(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{notAgain: true} })
}

func TestSimCatchesEarlierReturnsThatARestartForgets(t *testing.T) {
	catchesFrom(t, 250, false, func(uint64) sabotage { return sabotage{forgetBackfills: true} })
}

func TestSimCatchesReportsToParentsThatDidNotAsk(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{reportToAll: true} })
}

func TestSimCatchesEarlyReturnsThatAreNotCounted(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{lateCount: true} })
}

func TestSimCatchesAnEndThatOnlyOneParentHasAccepted(t *testing.T) {
	catchesFrom(t, 1210, false, func(uint64) sabotage { return sabotage{oneHasHeard: true, keepHeard: true} })
}

func TestSimCatchesAJobThatRunsTwice(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{runAgain: true} })
}

func TestSimCatchesWholeResultsInPlaceOfDigests(t *testing.T) {
	catches(t, false, func(uint64) sabotage { return sabotage{wholeUp: true} })
}

func TestSimCatchesLateReports(t *testing.T) {
	catchesFrom(t, 2260, false, func(uint64) sabotage { return sabotage{hearLate: true} })
}
