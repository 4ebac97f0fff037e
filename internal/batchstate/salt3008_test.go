package batchstate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// The state written by Salt 3008.2 is read, and has the same fields as ours.
func TestState_RecordedOfSalt3008(t *testing.T) {
	runs, _ := vectors.Batches(t)
	for _, run := range runs {
		st, err := Decode(run.State)
		if err != nil || st.JID != run.JID || !slices.Equal(st.All, []string{"b1", "b2", "b3"}) || len(st.Done) != 3 || !st.Over() || st.Size != 1 {
			t.Errorf("%s: %+v, %v", run.Name, st, err)
			continue
		}
		theirs, err := wire.DecodeMap(run.State)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := wire.DecodeMap(mustEncode(t, st))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range theirs.Keys() {
			if !ours.Has(fmt.Sprint(k)) {
				t.Errorf("%s: field %v is lost", run.Name, k)
			}
		}
	}
}

// A waiting command reports its batch by the events of Salt 3008.2's command, with the same fields.
func TestCommandEvent_RecordedOfSalt3008(t *testing.T) {
	runs, _ := vectors.Batches(t)
	compared := map[string]bool{}
	for _, run := range runs {
		for _, recorded := range run.Events {
			e, err := bus.ParseEvent(recorded.Body, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := e.Map()
			if err != nil || theirs.Map("state") == nil {
				continue
			}
			st, err := Decode(raw(t, theirs.Map("state")))
			if err != nil {
				t.Fatal(err)
			}
			_, action := ReadTag(recorded.Tag)
			tag, ours := st.CommandEvent(action)
			compared[action] = true
			for _, k := range theirs.Keys() {
				if !ours.Has(fmt.Sprint(k)) && k != "_stamp" {
					t.Errorf("%s, %s: field %v is lost", run.Name, recorded.Tag, k)
				}
			}
			if tag != recorded.Tag {
				t.Errorf("%s: %s instead of %s", run.Name, tag, recorded.Tag)
			}
		}
	}
	if !compared[ActionNew] || !compared[ActionProgress] || !compared[ActionComplete] {
		t.Errorf("compared only %v", compared)
	}
}
