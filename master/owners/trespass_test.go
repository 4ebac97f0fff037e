package owners

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// Told once in ten seconds per kind and sender; all are counted.
func TestTrespassesAreToldAtARate(t *testing.T) {
	x := NewTrespasses()
	now := time.Unix(1000, 0)
	a := Trespass{Kind: "event", Path: "a", Err: errors.New("x")}
	if x.Note(a, now) != 1 || x.Note(a, now.Add(time.Second)) != 0 || x.Note(Trespass{Kind: "event", Path: "b"}, now) != 1 {
		t.Error("told at another rate")
	}
	if n := x.Note(a, now.Add(11*time.Second)); n != 2 {
		t.Errorf("%d since, want 2", n)
	}
	if x.Note(a, now.Add(-time.Hour)) == 0 {
		t.Error("a clock that was set back silences it")
	}
	for i := range 3 * maxTrespassers {
		x.Note(Trespass{Kind: "event", Path: fmt.Sprint(i)}, now)
	}
	if n := len(x.recent); n > maxTrespassers {
		t.Errorf("%d remembered", n)
	}
	if n := x.Counts()["event"]; n != 5+3*maxTrespassers {
		t.Errorf("%d counted", n)
	}
}
