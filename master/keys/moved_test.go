package keys

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKeyAcceptedWhileItSignsIn accepts each key as soon as it is in minions_pre, while the minion
// keeps signing in: it is asked to wait, then admitted, and never refused.
func TestKeyAcceptedWhileItSignsIn(t *testing.T) {
	s := openStore(t, Options{})
	d := NewDecider(s, Policy{Log: quiet})
	pub := goldenText(t, "minion")
	var want []string
	for n := range 300 {
		id := fmt.Sprintf("m%03d", n)
		var wg sync.WaitGroup
		wg.Go(func() {
			for os.Rename(s.path(Pending, id), s.path(Accepted, id)) != nil {
			}
		})
		for outcome := Waiting; outcome != Admitted; {
			v := d.Decide(context.Background(), Auth{ID: id, Pub: pub})
			if outcome = v.Outcome; v.Err != nil || outcome != Waiting && outcome != Admitted {
				t.Fatalf("%s: %s, act %q, error %v", id, outcome, v.Act, v.Err)
			}
		}
		wg.Wait()
		want = append(want, "minions/"+id)
	}
	if diff := cmp.Diff(want, files(t, s.opts.PkiDir)); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

// TestKeyMovedBeforeItIsAutosigned removes the pending key between the check and its acceptance.
func TestKeyMovedBeforeItIsAutosigned(t *testing.T) {
	for _, to := range []State{Accepted, Rejected} {
		s := openStore(t, Options{})
		pub := goldenText(t, "minion")
		putKey(t, s, Pending, "m1", pub)
		d := NewDecider(s, Policy{Log: quiet, Vouched: func(id, _ string, _ []byte) bool {
			if err := os.Rename(s.path(Pending, id), s.path(to, id)); err != nil {
				t.Error(err)
			}
			return true
		}})
		if v := d.Decide(context.Background(), Auth{ID: "m1", Pub: pub}); v.Outcome != Waiting || v.Act != "pend" || v.Err != nil {
			t.Errorf("moved to %s: %s, act %q, error %v", to, v.Outcome, v.Act, v.Err)
		}
		if diff := cmp.Diff([]string{filepath.Join(to.Folder(), "m1")}, files(t, s.opts.PkiDir)); diff != "" {
			t.Errorf("folders (-want +got):\n%s", diff)
		}
	}
}
