package batches

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/wire"
)

// in runs a test with a world in a synctest bubble.
func in(t *testing.T, do func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		do(w)
		w.close()
	})
}

func TestBatch_EachReturnMakesRoom(t *testing.T) {
	in(t, func(w *world) {
		w.start(5, "2")
		w.published("a,b")
		if on, _ := w.files.active(); !slices.Equal(on, []string{jobID}) || !slices.Equal(w.Active(), on) {
			t.Errorf("active: %v", on)
		}
		w.returns(0, "b")
		w.published("a,b", "c")
		w.status("1 2 2 0")
		w.returns(0, "c")
		w.returns(0, "c") // again
		w.returns(0, "a")
		w.published("a,b", "c", "d", "e")
		w.returns(1, "e")
		w.returns(0, "d")
		w.status("5 0 0 0")
		if got := w.fired(); !slices.Equal(got, []string{"new", "progress", "complete"}) {
			t.Errorf("fired %v", got)
		}
		if on, _ := w.files.active(); len(on) > 0 || len(w.Active()) > 0 {
			t.Errorf("active at the end: %v", on)
		}
	})
}

func TestBatch_Percent(t *testing.T) {
	for size, want := range map[string]string{"50%": "a,b,c", "1%": "a", "100%": "a,b,c,d,e,f", "10": "a,b,c,d,e,f"} {
		in(t, func(w *world) {
			w.start(6, size)
			w.published(want)
		})
	}
}

// A minion that will not return frees its slot and counts as failed.
func TestBatch_DeathsMakeRoom(t *testing.T) {
	in(t, func(w *world) {
		w.start(3, "1")
		time.Sleep(time.Hour) // pending in the account: still waited for
		w.published("a")
		w.dies("a")
		w.published("a", "b")
		w.returns(0, "b")
		w.dies("c")
		w.status("1 0 0 2")
		w.returns(0, "a") // too late
		w.status("1 0 0 2")
	})
}

// A missing minion is noticed without an event too.
func TestBatch_MissedEvents(t *testing.T) {
	in(t, func(w *world) {
		w.start(3, "1")
		w.mu.Lock()
		w.codes["a"] = 0
		w.mu.Unlock()
		time.Sleep(lookEvery + time.Second)
		synctest.Wait()
		w.published("a", "b")
	})
}

func TestBatch_FailHard(t *testing.T) {
	for name, fail := range map[string]func(w *world){
		"return": func(w *world) { w.returns(2, "a") },
		"death":  func(w *world) { w.dies("a") },
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(w *world) {
				w.start(4, "2", func(o *Start) { o.Failhard = true })
				fail(w)
				w.published("a,b")
				m, _ := w.Status(jobID)
				if !m.Bool("halted") || m.String("halted_reason") != "failhard" || m.Int("pending") != 2 || m.Int("active") != 1 {
					t.Errorf("halted as %v", m)
				}
				if got := w.fired(); !slices.Equal(got, []string{"new", "progress", "halted"}) {
					t.Errorf("fired %v", got)
				}
			})
		})
	}
}

func TestBatch_WaitHoldsTheSlot(t *testing.T) {
	in(t, func(w *world) {
		w.start(3, "1", func(o *Start) { o.BatchWait = 30 })
		w.returns(0, "a")
		time.Sleep(29 * time.Second)
		synctest.Wait()
		w.published("a")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		w.published("a", "b")
		w.returns(0, "b")
		time.Sleep(31 * time.Second)
		synctest.Wait()
		w.returns(0, "c") // no minion waits for its slot
		w.status("3 0 0 0")
	})
}

// A batch continues after a restart, with the returns received meanwhile.
func TestBatch_Restart(t *testing.T) {
	in(t, func(w *world) {
		w.start(5, "2")
		w.returns(0, "a")
		w.close()
		w.mu.Lock()
		w.codes["b"] = 0
		w.mu.Unlock()
		w.open()
		w.published("a,b", "c", "d")
		w.returns(0, "c", "d", "e")
		w.status("5 0 0 0")
		w.close()
		w.open()
		w.status("5 0 0 0")
		w.published("a,b", "c", "d", "e")
	})
}

// A slice that was written and not published is published after a restart; no slice is published
// twice.
func TestBatch_DiedBeforeThePublication(t *testing.T) {
	in(t, func(w *world) {
		w.start(4, "2")
		w.close()
		st, err := w.files.read(jobID)
		if err != nil {
			t.Fatal(err)
		}
		w.mu.Lock()
		w.codes["a"] = 0
		w.mu.Unlock()
		st.Progress(batchstate.Outcomes{Returned: map[string]int{"a": 0}}, time.Now())
		if err := w.files.write(st); err != nil {
			t.Fatal(err)
		}
		w.open()
		w.published("a,b", "c")
		w.returns(0, "b", "c", "d")
		w.status("4 0 0 0")
	})
}

// A master killed right after publishing a slice knows about it after a restart, although its file
// does not.
func TestBatch_DiedAfterThePublication(t *testing.T) {
	in(t, func(w *world) {
		w.start(5, "2")
		before, err := w.files.read(jobID)
		if err != nil {
			t.Fatal(err)
		}
		w.returns(0, "a")
		w.published("a,b", "c")
		w.close()
		if err := w.files.write(before); err != nil {
			t.Fatal(err)
		}
		w.open()
		w.published("a,b", "c")
		w.returns(0, "b")
		w.returns(0, "c")
		w.published("a,b", "c", "d", "e")
		w.returns(0, "d", "e")
		w.status("5 0 0 0")
	})
}

// Slices do not each write the state of the whole batch.
func TestBatch_WritesOnceASecond(t *testing.T) {
	in(t, func(w *world) {
		w.start(20, "1")
		time.Sleep(writeEvery)
		w.returns(0, "a")
		first, err := w.files.read(jobID)
		for i := range 10 {
			w.returns(0, string(rune('b'+i)))
		}
		last, errOf := w.files.read(jobID)
		if errors.Join(err, errOf) != nil || len(first.Done) != len(last.Done) {
			t.Errorf("written after %d returns, again after %d; %v", len(first.Done), len(last.Done), errors.Join(err, errOf))
		}
	})
}

func TestBatch_Stop(t *testing.T) {
	in(t, func(w *world) {
		w.start(4, "2")
		if ok, err := w.Stop(t.Context(), "20260102030405678999", false); ok || err != nil {
			t.Errorf("an unknown one: %v, %v", ok, err)
		}
		if ok, err := w.Stop(t.Context(), jobID, true); !ok || err != nil {
			t.Errorf("stopped: %v, %v", ok, err)
		}
		synctest.Wait()
		if !slices.Equal(w.killed, []string{"a", "b"}) {
			t.Errorf("killed %v", w.killed)
		}
		w.returns(0, "a", "b")
		w.published("a,b")
		w.status("0 2 2 0 stop")
		if ok, err := w.Stop(t.Context(), jobID, false); ok || err != nil {
			t.Errorf("again: %v, %v", ok, err)
		}
	})
}

// Salt's own runner stops a batch by an event.
func TestBatch_StopByEvent(t *testing.T) {
	in(t, func(w *world) {
		w.start(4, "2")
		w.o.Fire(batchstate.TagPrefix+jobID+"/stop", wire.NewMap("jid", jobID, "reason", "enough"))
		synctest.Wait()
		w.status("0 2 2 0 enough")
	})
}

func TestBatch_SliceNotPublished(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status string
		after  string
	}{
		"not now": {fmt.Errorf("%w: full", ErrNotNow), "1 0 2 0", "2 1 0 0"},
		"nobody":  {fmt.Errorf("%w: no key", ErrNobody), "1 0 0 2", "1 0 0 2"},
		"refused": {errRefused, "1 0 2 0 refused", "1 0 2 0 refused"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(w *world) {
				w.start(3, "1")
				w.mu.Lock()
				w.refusing = c.err
				w.mu.Unlock()
				w.returns(0, "a")
				w.status(c.status)
				w.mu.Lock()
				w.refusing = nil
				w.mu.Unlock()
				time.Sleep(2 * retryAfter)
				synctest.Wait()
				w.returns(0, "b")
				w.status(c.after)
			})
		})
	}
}

func TestStart_Errors(t *testing.T) {
	in(t, func(w *world) {
		o := Start{Minions: []string{"a"}, Size: "1", Fun: raw(t, "test.ping"), Tgt: "*"}
		for name, change := range map[string]func(o *Start){
			"size": func(o *Start) { o.Size = "x" }, "nobody": func(o *Start) { o.Minions = nil }, "wait": func(o *Start) { o.BatchWait = -1 },
		} {
			bad := o
			change(&bad)
			if _, err := w.Start(t.Context(), bad); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		w.refusing = errRefused
		for range maxDriven + 1 { // a place is freed
			if _, err := w.Start(t.Context(), o); !errors.Is(err, errRefused) {
				t.Fatalf("%v", err)
			}
		}
		w.refusing = nil
		w.places = maxDriven
		if _, err := w.Start(t.Context(), o); !errors.Is(err, ErrBusy) {
			t.Errorf("%v", err)
		}
		w.places = 0
	})
}
