//go:build linux

package chaos

import (
	"fmt"
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
	for _, what := range []string{Kill, Restart, Pause, Partition, OneWay, Slow, Lossy, Reorder, Disk, Clock, SQLKill, SQLStop, SQLPause, Drain} {
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

// Schedules that have shown faults of the program are what they were then.
func TestSchedule_OldSeeds(t *testing.T) {
	for seed, want := range map[uint64]string{
		130:  "37 tasks, kill b @2.5+3.1, partition ma1 @2.7+2.9, sqlpause sql @3.6+2.4, kill c @4.2+2.2, pause t2 @4.5+1.9",
		224:  "30 tasks, partition mb1>b @1.1+0.5, kill a @2.3+3.6, kill b @2.3+2.9, kill t2 @3.3+0.7, kill d @4.4+3.4, clock mc1 1m0s @4.6+4.4, partition d @4.6+1.2",
		303:  "97 tasks, reorder b 1ms±48ms @2.6+8.3, clock d 26h0m0s @3.2+3.3, oneway c>mc1 @8.1+11.4, disk t1 @12.1+4.1, kill a @13.4+14.5, partition t1>b @14.2+5.0",
		341:  "95 tasks, kill t2 @8.4+7.5, partition b>d @9.8+7.0, sqlkill sql @9.9+8.5, disk b @10.1+8.3, pause t1 @13.3+0.3",
		1123: "99 tasks, oneway c @4.4+9.1, pause mc2 @5.3+9.6, sqlkill sql @5.8+12.9, reorder b>d 1ms±18ms @6.9+2.3, partition c>a @11.0+7.0, oneway c @12.6+14.9",
	} {
		s := NewSchedule(seed, 10*time.Second, Abilities{Disk: true, Clock: true})
		if got := fmt.Sprintf("%d tasks, %v", len(s.Tasks), s); got != want {
			t.Errorf("seed %d: %s", seed, got)
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
