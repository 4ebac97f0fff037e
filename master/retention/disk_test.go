package retention

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/wire"
)

func pub(t *testing.T, n int) Record {
	b, err := wire.Encode(wire.NewMap("jid", jidOf(n)))
	if err != nil {
		t.Fatal(err)
	}
	return Record{JID: jidOf(n), At: time.Unix(1_700_000_000, 0), Pub: b}
}

// A publication is on the disk, whole and under its name, before its job goes on.
func TestPut_IsSynced(t *testing.T) {
	w := newWorld(t)
	broken := errors.New("the disk is gone")
	w.sync = func(path string) error {
		if b, err := os.ReadFile(path); err != nil {
			t.Error(err)
		} else if r, err := decodeRecord(b); err != nil || r.JID != jidOf(1) {
			t.Errorf("synced is %v, %v", r, err)
		}
		return broken
	}
	if fresh, err := w.Put(pub(t, 1)); fresh || !errors.Is(err, broken) {
		t.Errorf("kept: %v, %v", fresh, err)
	}
	if n, _, _ := w.Size(); n != 0 {
		t.Errorf("%d are kept", n)
	}
	if _, err := os.Stat(w.path(jidOf(1))); !os.IsNotExist(err) {
		t.Errorf("its file: %v", err)
	}
}

// A disk on which removing takes long holds up nobody but who puts the very same job.
func TestDrop_HoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.publish(1, 2)
		w.rm = func(path string) error {
			time.Sleep(time.Minute)
			return os.Remove(path)
		}
		begun := time.Now()
		dropped, put := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(dropped)
			w.Drop(jidOf(1))
		}()
		synctest.Wait()
		w.wantSince(w.Epoch(), 0, 2)
		w.publish(3)
		if took := time.Since(begun); took > 0 {
			t.Errorf("others were held up for %v", took)
		}
		go func() {
			defer close(put)
			if fresh, err := w.Put(pub(t, 1)); !fresh || err != nil {
				t.Errorf("put again: %v, %v", fresh, err)
			}
		}()
		<-dropped
		<-put
		if _, err := os.Stat(w.path(jidOf(1))); err != nil {
			t.Errorf("the file of the second: %v", err)
		}
	})
}

// After a loss of power the marks of what was published may be lost: nothing is
// published a second time. A kill alone loses none.
func TestOpen_AfterALossOfPower(t *testing.T) {
	w := newWorld(t)
	if w.boot == "" {
		t.Log("this system does not tell its boots")
	}
	w.put(1, time.Time{})
	boot := w.boot
	w.boot = "an earlier one"
	w.put(2, time.Time{})
	w.reopen()
	if !w.Unpublished(jidOf(1)) {
		t.Error("after a kill it is not published")
	}
	if got, want := w.Unpublished(jidOf(2)), boot == ""; got != want {
		t.Errorf("after a loss of power: unpublished %v, want %v", got, want)
	}
}
