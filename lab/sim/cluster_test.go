package sim

import (
	"testing"
	"time"
)

// clusterOptions draws a tree below two or three tops that act as one, with faults.
func clusterOptions(seed uint64) Options {
	o := RandomOptions(seed, *salt)
	r := o.stream(0x746f7073)
	if o.Shape.tops() == 1 {
		o.Shape = o.Shape.WithTops(2 + r.IntN(2))
	}
	o.Cluster = true
	for i := range o.Jobs {
		j := &o.Jobs[i]
		j.Top, j.Twice, j.Queue, j.Slices, j.Batch = r.IntN(3), 0, 0, 0, Batch{}
	}
	o.Faults.Hostile, o.Faults.Turned = Hostile{}, 0
	o.Faults.TopCuts = r.IntN(4)
	return o
}

// Tops that act as one: no return is lost or doubled, no minion runs a job twice, each top has the
// whole account of each job that it knows, and all store the same returns, whatever dies.
func TestTopsAsOne(t *testing.T) {
	reached, apart := 0, 0
	for seed := *first; seed < *first+*seeds; seed++ {
		w, err := playOut(t, clusterOptions(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		reached += w.marks[markTakenOver]
		apart += w.marks[markTopsApart]
	}
	if reached == 0 || apart == 0 {
		t.Errorf("in %d schedules %d jobs were taken over, %d messages lost between tops", *seeds, reached, apart)
	}
}

// quiet is a tree of four nodes below three tops, without faults.
func quiet() Options {
	return Options{Seed: 1, Shape: Shape{Parents: []int{-1, 0, 0, 1}, Minions: []int{0, 5, 5, 5}}.WithTops(3), Cluster: true}
}

// Without faults each top ends the job with its last return, and each node hears it once.
func TestTopsAsOne_Calm(t *testing.T) {
	w, err := playOut(t, quiet())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range w.jobs[0].runs {
		if r.account.Expected != 15 || r.account.Returned != 15 || r.completed > time.Second {
			t.Errorf("%s: %+v, ended after %v", r.top.id, r.account, r.completed)
		}
	}
	if w.marks[markTakenOver]+w.marks[markGivenTwice] > 0 {
		t.Error("a node heard the job twice")
	}
}

// The top that publishes a job dies when it has stored and passed it, before it publishes: the others
// run it, while it is away.
func TestTopsAsOne_DiesBeforeItPublishes(t *testing.T) {
	o := quiet()
	o.Faults = Faults{For: Dist{Min: time.Minute, Max: time.Minute}}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.after(1, func() {
		top := w.tops[0]
		w.after(int64(w.o.Edge.Max), func() { w.kill(top, int64(time.Minute)) }) // the request is under way, or its answer
	})
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range w.jobs[0].runs {
		if !r.shared {
			continue // it was away for a minute
		}
		if r.completed < 0 || r.completed > 10*time.Second || r.account.Returned != 15 {
			t.Errorf("%s: %+v, ended after %v", r.top.id, r.account, r.completed)
		}
	}
	if w.marks[markTakenOver] == 0 {
		t.Error("no job was taken over")
	}
}

// Tops that cannot reach each other when a job starts: it ends at its top at once, and the others get
// its account when they can be reached.
func TestTopsAsOne_Apart(t *testing.T) {
	o := quiet()
	o.Faults = Faults{TopCuts: 1, Within: 1, For: Dist{Min: 20 * time.Second, Max: 20 * time.Second}}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range w.tops {
		for _, b := range w.tops {
			w.cutTops(a, b, int64(20*time.Second), false)
		}
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	for _, r := range w.jobs[0].runs {
		if early := r.completed < time.Second; r.account.Returned != 15 || early == r.shared || r.completed > time.Minute {
			t.Errorf("%s: %+v, ended after %v", r.top.id, r.account, r.completed)
		}
	}
	if w.marks[markTopsApart] == 0 {
		t.Error("no message between tops was lost")
	}
}

// The check notices a top that does not pass its jobs to the others.
func TestTopsAsOne_Sabotage(t *testing.T) {
	o := quiet()
	o.sabotage.shareNothing = true
	if _, err := playOut(t, o); err == nil {
		t.Error("not noticed")
	}
}
