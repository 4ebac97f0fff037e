//go:build linux

package chaos

import (
	"reflect"
	"testing"
	"time"
)

func TestSchedule_IsAFunctionOfItsSeed(t *testing.T) {
	all := Abilities{Disk: true, Clock: true}
	for seed := range uint64(500) {
		s := NewSchedule(seed, 10*time.Second, all)
		if !reflect.DeepEqual(s, NewSchedule(seed, 10*time.Second, all)) {
			t.Fatalf("seed %d gave two schedules", seed)
		}
		if reflect.DeepEqual(s.Tasks, NewSchedule(seed+1, 10*time.Second, all).Tasks) {
			t.Fatalf("seeds %d and %d gave the same tasks", seed, seed+1)
		}
	}
}

func TestSchedule_Faults(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(500) {
		s := NewSchedule(seed, 10*time.Second, Abilities{Disk: true, Clock: true})
		slots := map[string]bool{}
		for _, f := range s.Faults {
			seen[f.What]++
			if f.At+f.For > s.Length {
				t.Errorf("seed %d: %v outlasts the round", seed, f)
			}
			if slot := f.slot(); slot != "" {
				if slots[slot] {
					t.Errorf("seed %d: two faults share %s: %v", seed, slot, s)
				}
				slots[slot] = true
			}
			if f.Weather != (Weather{}) && len(f.edges()) == 0 {
				t.Errorf("seed %d: %v hits no edge", seed, f)
			}
		}
	}
	for _, what := range []string{Kill, Restart, Pause, Partition, OneWay, Slow, Lossy, Reorder, Disk, Clock, SQLKill, SQLStop, SQLPause} {
		if seen[what] == 0 {
			t.Errorf("500 seeds without %s", what)
		}
	}
	for seed := range uint64(200) {
		for _, f := range NewSchedule(seed, 10*time.Second, Abilities{}).Faults {
			if f.What == Disk || f.What == Clock {
				t.Errorf("seed %d: %v cannot be done", seed, f)
			}
		}
	}
}

func TestFault_Edges(t *testing.T) {
	a, c := stationOf("a"), stationOf("c")
	got := Fault{What: OneWay, Who: "a", Peer: "c"}.edges()
	if want := []edge{{a, c}}; !reflect.DeepEqual(got, want) {
		t.Errorf("one way from a to c: %v", got)
	}
	if got := (Fault{What: Partition, Who: "c", Peer: "a"}).edges(); len(got) != 2 {
		t.Errorf("between c and a: %v", got)
	}
	if got := (Fault{What: Partition, Who: "sql"}).edges(); len(got) != 8 {
		t.Errorf("around SQL, which has four clients: %v", got)
	}
}

func TestSky_WeatherAddsUpAndClears(t *testing.T) {
	s := newSky(3)
	turn := s.change()
	clearDelay := s.begin([]edge{{0, 1}}, Weather{Delay: time.Second})
	<-turn
	clearCut := s.begin([]edge{{0, 1}, {1, 0}}, Weather{Cut: true})
	if w := s.at(0, 1); w == nil || !w.Cut || w.Delay != time.Second {
		t.Errorf("both: %+v", w)
	}
	if w := s.at(0, 2); w != nil {
		t.Errorf("elsewhere: %+v", w)
	}
	clearDelay()
	if w := s.at(0, 1); w == nil || !w.Cut || w.Delay != 0 {
		t.Errorf("the cut alone: %+v", w)
	}
	clearCut()
	if s.at(0, 1) != nil || s.at(1, 0) != nil {
		t.Error("there is weather left")
	}
}
