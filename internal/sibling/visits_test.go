package sibling

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Masters are named for an hour after they were left, also after a restart, and only so many of them.
func TestVisits(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	v := Visits{}
	if v.Leave("", start) {
		t.Error("no master was left")
	}
	if !v.Leave("b", start) || v.Leave("b", start.Add(time.Second)) {
		t.Error("the second note within a minute is worth no write")
	}
	v.Leave("a", start.Add(time.Minute))
	b, err := wire.Encode(v.Map())
	if err != nil {
		t.Fatal(err)
	}
	d, err := wire.DecodeMap(b)
	if err != nil {
		t.Fatal(err)
	}
	v = ReadVisits(d)
	for after, want := range map[time.Duration][]string{
		2 * time.Minute:               {"a", "b"},
		VisitMemory + 30*time.Second:  {"a"},
		VisitMemory + 90*time.Second:  nil,
		-time.Minute:                  {"a", "b"}, // the clock was set back
		VisitMemory:                   {"a", "b"},
		VisitMemory + time.Nanosecond: {"a"},
	} {
		if got := v.Recent(start.Add(after)); !slices.Equal(got, want) {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
	for i := range 2 * MaxVisits {
		v.Leave(fmt.Sprint("n", i), start.Add(time.Duration(i+2)*time.Minute))
	}
	if got := v.Recent(start.Add(time.Hour)); len(got) != MaxVisits || slices.Contains(got, "a") || !slices.Contains(got, "n15") {
		t.Errorf("the newest %d: %v", MaxVisits, got)
	}
	if len(ReadVisits(nil)) != 0 {
		t.Error("visits of nothing")
	}
}
