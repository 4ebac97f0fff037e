package ownership

import (
	"errors"
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
	if n := x.Counts()["event"]; n != 4 {
		t.Errorf("%d counted", n)
	}
}
