package batches

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// beside starts another master on the cachedir of w, with a copy of its job store.
func (w *world) beside(t *testing.T, me string) *world {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	o := &world{t: t, dir: w.dir, me: me, codes: maps.Clone(w.codes), gone: maps.Clone(w.gone), named: slices.Clone(w.named)}
	o.open()
	return o
}

// rests lets other masters check the drivers.
func rests(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// One of the masters that share a cachedir drives a batch to its end.
func TestOwner_OneDrives(t *testing.T) {
	in(t, func(w *world) {
		w.start(4, "1")
		other := w.beside(t, "two")
		defer other.close()
		for range 180 { // two that take it from each other drive it in turn
			rests(time.Minute)
			if on := other.Active(); len(on) > 0 {
				t.Fatalf("the other one drives %v", on)
			}
		}
		other.published()
		if ok, err := other.Stop(t.Context(), jobID, false); ok || err == nil || !strings.Contains(err.Error(), "master one drives it") {
			t.Errorf("stopped at the other one: %v, %v", ok, err)
		}
		w.returns(0, "a")
		w.published("a", "b")
		w.returns(0, "b", "c", "d")
		w.status("4 0 0 0")
		if o, err := w.files.owner(jobID); o != nil || err != nil {
			t.Errorf("driven at the end by %v, %v", o, err)
		}
	})
}

// A batch of a stopped master continues at one other master, and only there if the first comes
// back.
func TestOwner_TakenOver(t *testing.T) {
	in(t, func(w *world) {
		w.start(4, "1")
		w.returns(0, "a")
		w.close()
		two, three := w.beside(t, "two"), w.beside(t, "three")
		defer two.close()
		defer three.close()
		rests(ownerGone - time.Second)
		two.published()
		three.published()
		rests(2 * listEvery)
		driver, idle := two, three
		if len(two.Active()) == 0 {
			driver, idle = three, two
		}
		if len(driver.Active()) != 1 || len(idle.Active()) != 0 {
			t.Fatalf("driven by two: %v, three: %v", two.Active(), three.Active())
		}
		driver.returns(0, "b")
		driver.published("c")
		w.open()
		defer w.close()
		rests(3 * ownerGone)
		if on := w.Active(); len(on) != 0 {
			t.Errorf("driven again by the first: %v", on)
		}
		driver.returns(0, "c", "d")
		driver.status("4 0 0 0")
		w.published("a", "b")
		idle.published()
	})
}

// A master that was frozen finds that another one drives its batch, and gives it up.
func TestOwner_Frozen(t *testing.T) {
	in(t, func(w *world) {
		w.start(4, "1")
		w.mu.Lock()
		w.named = nil // not in its store
		w.mu.Unlock()
		old, err := w.files.owner(jobID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.files.claim(jobID, "two", old, time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.files.claim(jobID, "three", old, time.Now()); !errors.Is(err, errElsewhere) {
			t.Errorf("claimed by a third: %v", err)
		}
		rests(renewEvery + time.Second)
		if on := w.Active(); len(on) != 0 {
			t.Errorf("still driven: %v", on)
		}
		w.published("a")
	})
}

// A power failure may leave the driver's file empty. The batch goes on, after the time for which another master may be
// writing it.
func TestOwner_EmptyFile(t *testing.T) {
	in(t, func(w *world) {
		w.start(2, "1")
		w.returns(0, "a")
		w.close()
		path, err := w.files.ownerPath(jobID)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		w.open()
		defer w.close()
		rests(ownerGone - time.Second)
		if on := w.Active(); len(on) != 0 {
			t.Errorf("driven at once: %v", on)
		}
		rests(2 * listEvery)
		w.returns(0, "b")
		w.status("2 0 0 0")
	})
}

// A master without the job cannot drive its batch.
func TestOwner_UnknownJob(t *testing.T) {
	in(t, func(w *world) {
		w.start(2, "1")
		w.close()
		w.mu.Lock()
		w.named = nil
		w.mu.Unlock()
		other := w.beside(t, "two")
		defer other.close()
		rests(4 * listEvery)
		other.published()
		if ok, err := other.Stop(t.Context(), jobID, false); !ok || err != nil {
			t.Errorf("stopped: %v, %v", ok, err)
		}
		w.named = []string{"a"}
		w.open()
		w.status("0 1 1 0 stop")
	})
}
