package roll

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/momtree/mom/returners"
)

// Marks applied one after the other give the same result as merged expectations.
func TestMarksAreMerged(t *testing.T) {
	some := rapid.Custom(func(t *rapid.T) returners.Expectation {
		ids := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3)
		x := returners.Expectation{Minions: ids.Draw(t, "minions"), State: rapid.SampledFrom([]string{"", "answered", "silent", returners.StateAdopted}).Draw(t, "state")}
		for _, id := range ids.Draw(t, "missing") {
			if x.Missing == nil {
				x.Missing = map[string]string{}
			}
			x.Missing[id] = rapid.SampledFrom([]string{"", "gone", "down"}).Draw(t, "why")
		}
		return x
	})
	rapid.Check(t, func(t *rapid.T) {
		have, marks := returners.Expectation{State: "answered"}, Marks{}
		state := have.State
		for _, x := range rapid.SliceOfN(some, 0, 6).Draw(t, "words") {
			var want, got, moved bool
			have, want = have.Merge(x)
			state, got = State(state, x.State)
			for id, k := range Of(x) {
				moved = marks.Put(id, k)
				got = got || moved
			}
			if got != want || state != have.State {
				t.Fatalf("%+v: changed %v, want %v; state %q, want %q", x, got, want, state, have.State)
			}
		}
		var sum returners.Expectation
		marks.Into(&sum)
		if diff := cmp.Diff(have.Minions, sum.Minions); diff != "" && len(have.Minions)+len(sum.Minions) > 0 {
			t.Errorf("minions (-merged +marks):\n%s", diff)
		}
		if !maps.Equal(have.Missing, sum.Missing) {
			t.Errorf("missing %v, want %v", sum.Missing, have.Missing)
		}
		back, err := Decode(marks.Encode(marks.IDs()))
		if err != nil || !maps.Equal(back, marks) {
			t.Errorf("%v became %v, %v", marks, back, err)
		}
		var read returners.Expectation
		if err := Read(marks.Encode(marks.IDs()), &read); err != nil || cmp.Diff(sum, read) != "" {
			t.Errorf("%+v was read as %+v, %v", sum, read, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	m := Marks{"a": {}, "web-01.example.com": {true, "Not connected"}, "": {true, ""}}
	f.Add(m.Encode(m.IDs()))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			return
		}
		back, err := Decode(m.Encode(m.IDs()))
		if err != nil || !maps.Equal(back, m) {
			t.Errorf("%v became %v, %v", m, back, err)
		}
	})
}
