package batches

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

// salts is a batch as left by salt -b 2 --async of Salt 3008.
func salts(t *testing.T, driver string) *batchstate.State {
	return &batchstate.State{
		JID: jobID, All: []string{"a", "b", "c"}, Pending: []string{"c"}, Active: map[string]float64{"a": batchstate.Unix(time.Now()), "b": batchstate.Unix(time.Now())},
		Done: map[string]int{}, Failed: map[string]string{}, Size: 2, Fun: raw(t, "test.ping"), Arg: raw(t, []any{}), Kwargs: raw(t, wire.NewMap()),
		Tgt: "*", TgtType: "glob", User: "root", Timeout: 5, Gather: 10, Created: batchstate.Unix(time.Now()), LastProgress: batchstate.Unix(time.Now()), Driver: driver,
	}
}

func TestHanded_IsDriven(t *testing.T) {
	in(t, func(w *world) {
		w.named = []string{"a", "b"}
		st := salts(t, batchstate.DriverMaster)
		if err := w.files.write(st); err != nil {
			t.Fatal(err)
		}
		w.o.Fire(st.NewEvent())
		synctest.Wait()
		w.returns(0, "a")
		w.published("c")
		w.returns(0, "b", "c")
		w.status("3 0 0 0")
		if got := w.fired(); !slices.Equal(got, []string{"new", "progress", "complete"}) {
			t.Errorf("fired %v", got)
		}
	})
}

// The event may be lost: the batch is also found in the list.
func TestHanded_WithoutEvent(t *testing.T) {
	in(t, func(w *world) {
		w.named = []string{"a", "b"}
		if err := w.files.write(salts(t, batchstate.DriverMaster)); err != nil {
			t.Fatal(err)
		}
		if err := w.files.enlist(jobID, true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(listEvery + time.Second)
		w.returns(0, "a")
		w.published("c")
	})
}

// A batch without a state is halted, so that no command waits for it. Batches of nodes below and
// of waiting commands are not touched.
func TestHanded_Halted(t *testing.T) {
	in(t, func(w *world) {
		w.o.Fire(salts(t, batchstate.DriverCLI).NewEvent())
		tag, data := salts(t, batchstate.DriverMaster).NewEvent()
		if err := w.bus.FireEvent(bus.Event{Tag: tag, Data: raw(t, data), Origin: "node"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := w.fired(); !slices.Equal(got, []string{"new"}) {
			t.Errorf("fired %v", got)
		}
		w.o.Fire(tag, data)
		synctest.Wait()
		if got := w.fired(); !slices.Equal(got, []string{"new", "halted"}) {
			t.Errorf("fired %v", got)
		}
	})
}

// Runners list the batch of a Salt 3008 command, and stop it by an event.
func TestHanded_DrivenByCommand(t *testing.T) {
	in(t, func(w *world) {
		st := salts(t, batchstate.DriverCLI)
		b, err := st.Encode()
		if err != nil {
			t.Fatal(err)
		}
		state, err := wire.DecodeMap(b)
		if err != nil {
			t.Fatal(err)
		}
		w.o.Fire(batchstate.TagPrefix+jobID+"/new", wire.NewMap("jid", jobID, "driver", batchstate.DriverCLI, "state", state))
		synctest.Wait()
		w.status("0 2 1 0")
		if all, err := w.ListActive(); err != nil || len(all) != 1 {
			t.Errorf("listed %v, %v", all, err)
		}
		w.returns(0, "a")
		w.published()
		w.fired()
		if ok, err := w.Stop(t.Context(), jobID, false); !ok || err != nil {
			t.Errorf("stopped: %v, %v", ok, err)
		}
		synctest.Wait()
		if got := w.fired(); !slices.Equal(got, []string{"halted"}) {
			t.Errorf("fired %v", got)
		}
		w.status("0 2 1 0 stop")
		if all, err := w.ListActive(); err != nil || len(all) != 0 {
			t.Errorf("listed %v, %v", all, err)
		}
	})
}

func TestTags(t *testing.T) {
	for tag, want := range map[string][2]string{
		"salt/batch/20260102030405000001/new":   {"20260102030405000001", "new"},
		"salt/batch/20260102030405000001/done":  {},
		"salt/batch/../new":                     {},
		"salt/batch/20260102030405000001/x/new": {},
	} {
		if id, action := batchstate.ReadTag(tag); id != want[0] || action != want[1] {
			t.Errorf("%s: %q %q", tag, id, action)
		}
	}
}
