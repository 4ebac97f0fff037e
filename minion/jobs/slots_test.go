package jobs

import (
	"context"
	"errors"
	"testing"
)

// mayRun reports whether a turn has come.
func mayRun(t *turn) bool {
	select {
	case <-t.ready:
		return true
	default:
		return false
	}
}

func TestSlots_InOrder(t *testing.T) {
	s := newSlots(1, 10)
	var turns []*turn
	for range 4 {
		turn, err := s.admit("x")
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn)
	}
	manager, err := s.admit("saltutil.find_job")
	if err != nil {
		t.Fatal(err)
	}
	if !mayRun(turns[0]) || mayRun(turns[1]) || !mayRun(manager) {
		t.Error("not the first alone, beside those that manage jobs")
	}
	manager.leave()
	turns[2].leave() // stopped waiting
	turns[0].leave()
	turns[0].leave() // again: no effect
	if !mayRun(turns[1]) || mayRun(turns[3]) {
		t.Error("the second is not next")
	}
	turns[1].leave()
	if !mayRun(turns[3]) {
		t.Error("the fourth does not follow")
	}
	turns[3].leave()
	if s.held != 0 || s.taken != 0 || len(s.waiting) != 0 {
		t.Errorf("left over: %+v", s)
	}
}

func TestSlots_WaitEndsWithTheContext(t *testing.T) {
	s := newSlots(1, 10)
	if _, err := s.admit("x"); err != nil {
		t.Fatal(err)
	}
	second, err := s.admit("x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := second.wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSlots_AreBounded(t *testing.T) {
	s := newSlots(-1, 10)
	var turns []*turn
	for range 10 {
		turn, err := s.admit("x")
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn)
	}
	if _, err := s.admit("x"); !errors.Is(err, errBusy) {
		t.Errorf("one job too many: %v", err)
	}
	turns[0].leave()
	if _, err := s.admit("x"); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}
