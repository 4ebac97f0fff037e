//go:build linux

package galera

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// A schedule is a function of its seed, and has every kind of fault for each server as often as it says.
func TestSchedule(t *testing.T) {
	all := schedule(7, 50, 5*time.Second, true)
	if !slices.Equal(all, schedule(7, 50, 5*time.Second, true)) || slices.Equal(all, schedule(8, 50, 5*time.Second, true)) {
		t.Error("the seed does not decide")
	}
	got := map[fault]int{}
	for _, f := range all {
		got[fault{What: f.What, Node: f.Node}]++
	}
	want := map[fault]int{}
	for n := range size {
		want[fault{What: Kill, Node: n}] = 50
		for _, what := range []string{Freeze, Cut, Hide, Split, Transfer, Disk, Alter} {
			want[fault{What: what, Node: n}] = 5
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, f := range schedule(7, 1, 5*time.Second, false) {
		if slices.Contains([]string{Cut, Hide, Split, Disk}, f.What) {
			t.Errorf("%v needs namespaces", f)
		}
	}
	if kinds := one(all); len(kinds) != 8 {
		t.Errorf("%v, want one of each kind", kinds)
	}
}

// What the writers store has each return from two writers, and counts to the rate.
func TestHistory(t *testing.T) {
	h := newHistory(time.Unix(1_800_000_000, 0), 4, 500)
	stored := map[string]int{}
	for w := range h.writers {
		for _, r := range append(h.answers(3, w).Returns, h.late(3, w).Returns...) {
			stored[r.ID]++
		}
	}
	total := 0
	for id, n := range stored {
		if total += n; n != 2 {
			t.Errorf("%s is stored by %d writers", id, n)
		}
	}
	if perSecond := float64(total) / every.Seconds(); perSecond < 450 || perSecond > 550 {
		t.Errorf("%v returns a second", perSecond)
	}
}

// Pauses are those of at least half a second; of a fault, those that meet it.
func TestPauses(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(0, int64(s*1e9)) }
	p := pauses{all: []span{{at(1), at(3)}, {at(10), at(15)}}}
	for _, c := range []struct {
		during []span
		want   time.Duration
	}{
		{nil, 5 * time.Second},
		{[]span{{at(0), at(2)}}, 2 * time.Second},
		{[]span{{at(0), at(2)}, {at(14), at(20)}}, 5 * time.Second},
		{[]span{{at(4), at(9)}}, 0},
	} {
		if got := p.longest(c.during...); got != c.want {
			t.Errorf("%v: %v, want %v", c.during, got, c.want)
		}
	}
}
