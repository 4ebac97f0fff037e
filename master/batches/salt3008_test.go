package batches

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/vectors"
)

// The batch of a Salt 3008.2 command is followed by its events to the end. Events of a batch of
// its master leave nothing here.
func TestHanded_RecordedOfSalt3008(t *testing.T) {
	runs, _ := vectors.Batches(t)
	for _, run := range runs {
		in(t, func(w *world) {
			var seen []string
			for _, recorded := range run.Events {
				e, err := bus.ParseEvent(recorded.Body, time.Now())
				if err != nil || e.Tag != recorded.Tag {
					t.Fatalf("%s: read as %q, %v", recorded.Tag, e.Tag, err)
				}
				if _, action := batchstate.ReadTag(e.Tag); action == "" {
					continue
				}
				if err := w.bus.FireEvent(e); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				m, err := w.Status(run.JID)
				if err != nil {
					t.Fatal(err)
				}
				if m != nil {
					seen = append(seen, fmt.Sprint(m.Int("completed"), "+", m.Int("active"), "+", m.Int("pending")))
				}
			}
			seen = slices.Compact(seen)
			if run.Name == "async" {
				if len(seen) > 0 || len(w.Active()) > 0 {
					t.Errorf("async: seen %v", seen)
				}
				return
			}
			if len(seen) < 4 || seen[len(seen)-1] != "3+0+0" {
				t.Errorf("seen %q", seen)
			}
			if on, err := w.ListActive(); len(on) > 0 || err != nil {
				t.Errorf("active at the end: %v, %v", on, err)
			}
		})
	}
}
