package sim

import (
	"errors"
	"flag"
	"fmt"
	"testing"
)

var (
	seeds = flag.Uint64("seeds", 300, "schedules per property")
	first = flag.Uint64("seed", 1, "the first seed")
	salt  = flag.Uint64("salt", 0, "other schedules for the same seeds")
	all   = flag.Bool("all", false, "continue after a failed schedule")

	broken = flag.Uint64("broken", 60, "schedules in which each kind of act is broken")
	traced = flag.Bool("traced", false, "log the trace of schedules with a broken act")
)

// failSeed fails the test and prints how to play the schedule again.
func failSeed(t *testing.T, seed uint64, insist string, err error) {
	t.Helper()
	if *salt > 0 {
		insist += fmt.Sprintf(" --salt %d", *salt)
	}
	fail := t.Fatalf
	if *all {
		fail = t.Errorf
	}
	fail("seed %d: %v\n\nplay it again: momlab sim --random --faults%s --seed %d --trace", seed, err, insist, seed)
}

// playOut plays a schedule to its end and returns the violated promises.
func playOut(t *testing.T, o Options) (*World, error) {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(t.Context()); err != nil {
		return w, err
	}
	return w, w.Check()
}

// For any shape and any faults, no return is lost or doubled, every account adds up, and nothing is
// pending at the end.
func TestPromisesHold(t *testing.T) {
	reached := map[mark]int{}
	for seed := *first; seed < *first+*seeds; seed++ {
		w, err := playOut(t, RandomOptions(seed, *salt))
		if err != nil {
			failSeed(t, seed, "", err)
		}
		for m, times := range w.marks {
			reached[m] += times
		}
	}
	for _, m := range marks {
		if reached[m.mark] == 0 && *seeds >= m.within {
			t.Errorf("%d schedules never reached: %s", *seeds, m.mark)
		}
	}
}

// marks are the rare situations that a run must reach, and within how many schedules.
var marks = []struct {
	mark   mark
	within uint64
}{
	{markSick, 300},
	{markNamesake, 300},
	{markGivenTwice, 300},
	{markUnended, 2000},
	{markCrowd, 2000},
	{markJobFull, 300},
	{markLate, 2000},
	{markEarlyReturn, 300},
	{markDeclined, 2000},
	{markRepeated, 300},
	{markGivenAgain, 300},
	{markMovedAtWork, 300},
	{markTwoAsk, 300},
	{markBackfilled, 300},
	{markReportLost, 300},
	{markReturnFull, 300},
	{markCommitFull, 2000},
	{markSavedNotSent, 300},
	{markRepeatWaits, 300},
	{markOdd, 300},
	{markRefusedRow, 300},
	{markBadLoad, 300},
	{markSetAside, 300},
	{markForged, 300},
	{markTurncoat, 300},
	{markUsurped, 300},
	{markReplayed, 300},
	{markReplayedDown, 300},
	{markFlood, 300},
	{markInvented, 300},
	{markClockAhead, 300},
	{markQueued, 300},
	{markUnsigned, 300},
	{markWronglySigned, 300},
	{markBarred, 300},
	{markQueuedLong, 2000},
	{markGrown, 300},
	{markGrownAtItsEnd, 2000},
}

// For any shape and any faults, if missed publications are repeated until they arrive, the rows at
// the top are those of one flat master without faults.
func TestRowsOfAFlatMaster(t *testing.T) {
	for seed := *first; seed < *first+*seeds; seed++ {
		o := RandomOptions(seed, *salt)
		o.Insist = true
		tree, err := playOut(t, o)
		if err != nil {
			failSeed(t, seed, " --insist", err)
			continue
		}
		o.Shape, o.Faults = o.Shape.Flat(), Faults{}
		flat, err := playOut(t, o)
		if err != nil {
			failSeed(t, seed, " --insist", fmt.Errorf("a flat master: %w", err))
			continue
		}
		if tree.Report().Rows != flat.Report().Rows {
			failSeed(t, seed, " --insist", differ(tree, flat))
		}
	}
}

// differ lists the number of rows of each job in both worlds.
func differ(a, b *World) error {
	var errs []error
	flat := map[string]int{}
	for _, k := range b.Report().Jobs {
		flat[k.JID] = k.Rows
	}
	for _, j := range a.Report().Jobs {
		errs = append(errs, fmt.Errorf("job %s: %d rows in the tree, %d at a flat master", j.JID, j.Rows, flat[j.JID]))
	}
	return errors.Join(errs...)
}
