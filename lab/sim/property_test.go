package sim

import (
	"errors"
	"flag"
	"fmt"
	"testing"
)

var (
	seeds = flag.Uint64("seeds", 300, "how many schedules each property is tried with")
	first = flag.Uint64("seed", 1, "the first seed")
	salt  = flag.Uint64("salt", 0, "other schedules for the same seeds")
	all   = flag.Bool("all", false, "go on after a schedule that fails")

	broken = flag.Uint64("broken", 60, "how many schedules each kind of act is broken in")
	traced = flag.Bool("traced", false, "log what happens in schedules in which something is broken")
)

// tell is how a failure is played again.
func tell(t *testing.T, seed uint64, insist string, err error) {
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

// playOut plays a schedule to its end and tells what does not hold.
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

// Any shape, any faults: no return is lost or doubled, every account adds up, and
// the tree comes to rest owing nothing.
func TestPromisesHold(t *testing.T) {
	reached := map[mark]int{}
	for seed := *first; seed < *first+*seeds; seed++ {
		w, err := playOut(t, RandomOptions(seed, *salt))
		if err != nil {
			tell(t, seed, "", err)
		}
		for m, times := range w.marks {
			reached[m] += times
		}
	}
	for _, m := range marks {
		if reached[m.mark] == 0 && *seeds >= m.within {
			t.Errorf("%d schedules never reached this place: %s", *seeds, m.mark)
		}
	}
}

// marks are the rare places that a run has to reach, and within how many schedules.
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
	{markOwedLater, 300},
	{markWordLost, 300},
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

// Any shape, any faults: where missed publications are given again until they are
// heard, the rows at the top are those of one flat master without faults.
func TestRowsOfAFlatMaster(t *testing.T) {
	for seed := *first; seed < *first+*seeds; seed++ {
		o := RandomOptions(seed, *salt)
		o.Insist = true
		tree, err := playOut(t, o)
		if err != nil {
			tell(t, seed, " --insist", err)
			continue
		}
		o.Shape, o.Faults = o.Shape.Flat(), Faults{}
		flat, err := playOut(t, o)
		if err != nil {
			tell(t, seed, " --insist", fmt.Errorf("a flat master: %w", err))
			continue
		}
		if tree.Report().Rows != flat.Report().Rows {
			tell(t, seed, " --insist", differ(tree, flat))
		}
	}
}

// differ tells how many rows of each job the two have.
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
