//go:build linux

package chaos

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// day is the time of the histories in these tests; the job is published at its second 0.
var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func sec(s float64) time.Time { return day.Add(time.Duration(s * float64(time.Second))) }

// stays returns looks at which ma1 is at the given nodes.
func stays(from, to float64, places ...string) (out []look) {
	for s := from; s < to; s += 0.5 {
		out = append(out, look{sec(s), map[string][]string{"ma1": places}})
	}
	return out
}

// hole returns looks at which ma1 is at a node, but nowhere around the publication.
func hole(place string) []look {
	return append(append(stays(-30, -1.9, place), stays(-1.9, 3)...), stays(3, 30, place)...)
}

// TestVerdict_Answers plays hand-made histories of one job of t1 for ma1, a minion of
// node a.
func TestVerdict_Answers(t *testing.T) {
	hitAt := func(from, to float64, f Fault) hit { return hit{f, sec(from), sec(to)} }
	cut := Weather{Cut: true}
	// A fault fixed long ago: ma1 was drained to b, and each job names it as reported by a.
	named := func(h *heard) {
		h.missed(map[string]naming{"ma1": {sec(0.01), "Not connected", "a"}})
		h.returned("ma1", sec(0.3))
		h.closed(sec(0.3), ended{})
	}
	late := func(h *heard) {
		h.closed(sec(0.1), ended{})
		h.returned("ma1", sec(0.4))
	}
	for name, tt := range map[string]struct {
		events  func(h *heard)
		hits    []hit
		looks   []look // none: a minion at home
		refused bool
		want    string // "": nothing is wrong
		excused bool
	}{
		"it answers":                  {events: func(h *heard) { h.returned("ma1", sec(1)); h.closed(sec(1), ended{}) }},
		"named, and answers later":    {events: named, want: `ma1 was named as missing (Not connected, behind "a") and returned 0.29 s later, 0.01 s after`},
		"named, and never answers":    {events: func(h *heard) { h.missed(map[string]naming{"ma1": {at: sec(1)}}); h.closed(sec(1), ended{}) }, want: "and never returned"},
		"ended without it":            {events: late, want: "ended without ma1, which returned 0.30 s later"},
		"ended, and it never answers": {events: func(h *heard) { h.closed(sec(1), ended{}) }, want: "not in the account when the job ended and never returned"},
		"no event at all":             {events: func(*heard) {}, want: "neither a return of ma1 nor the end was reported"},
		"a job that was not accepted": {events: func(*heard) {}, refused: true, excused: true},

		"drained long ago":          {events: named, looks: append(stays(-30, -5, "a"), stays(-5, 30, "b")...), want: "no fault touched it or its way (b)"},
		"drained with a hole":       {events: named, looks: append(stays(-30, -9, "a"), stays(-5, 30, "b")...), want: "(b)"},
		"guest of b, and a is dead": {events: named, looks: stays(-30, 30, "b"), hits: []hit{hitAt(-4, 9, Fault{What: Kill, Who: "a"})}, want: "(b)"},
		"a drain alone":             {events: named, hits: []hit{hitAt(-4, 9, Fault{What: Drain, Who: "a"})}, want: "(a)"},
		"it moves just now":         {events: named, looks: append(stays(-30, -1, "a"), stays(-1, 30, "b")...), excused: true},
		"it is about to move":       {events: named, looks: append(stays(-30, 1, "a"), stays(1, 30, "b")...), excused: true},
		"it is between two nodes":   {events: named, looks: append(stays(-30, -8, "a"), stays(8, 30, "b")...), excused: true},
		"no look, and home was hit": {events: named, looks: []look{}, hits: []hit{hitAt(-4, 9, Fault{What: Kill, Who: "a"})}, excused: true},
		"no look, and all was well": {events: named, looks: []look{}, want: "(a)"},
		"it vanishes for no reason": {events: named, looks: append(stays(-30, -8, "a"), stays(8, 30, "a")...), want: "(a)"},
		"a guest between two nodes": {events: named, looks: hole("b"), hits: []hit{hitAt(-2, 2, Fault{What: Restart, Who: "a"})}, excused: true},
		"a guest vanishes":          {events: named, looks: hole("b"), want: "(b)"},
		"its node moves":            {events: named, looks: append(stays(-30, 0, "a"), stays(0, 30, "b/a")...), excused: true},
		"at two nodes, one is hit": {
			events: named, looks: stays(-30, 30, "a", "b"), hits: []hit{hitAt(-4, -1, Fault{What: Pause, Who: "b"})}, excused: true,
		},

		"it was killed":                  {events: named, hits: []hit{hitAt(-4, -1, Fault{What: Kill, Who: "ma1"})}, excused: true},
		"its node was killed":            {events: named, hits: []hit{hitAt(-4, -1, Fault{What: Kill, Who: "a"})}, excused: true},
		"its node is down":               {events: named, hits: []hit{{Fault{What: Restart, Who: "a"}, sec(-40), time.Time{}}}, excused: true},
		"the top stood still":            {events: named, hits: []hit{hitAt(-14, -10, Fault{What: Pause, Who: "t1"})}, excused: true},
		"the disk of its node was full":  {events: named, hits: []hit{hitAt(-14, -10, Fault{What: Disk, Who: "a"})}, excused: true},
		"the clock of its node jumped":   {events: named, hits: []hit{hitAt(-14, -10, Fault{What: Clock, Who: "a"})}, excused: true},
		"its connection was cut":         {events: named, hits: []hit{hitAt(-9, -1, Fault{What: Partition, Who: "a", Peer: "ma1", Weather: cut})}, excused: true},
		"cut one way":                    {events: named, hits: []hit{hitAt(-9, -1, Fault{What: OneWay, Who: "t1", Peer: "a", Weather: cut})}, excused: true},
		"all around its node is slow":    {events: named, hits: []hit{hitAt(-9, -1, Fault{What: Slow, Who: "a", Weather: Weather{Delay: 1}})}, excused: true},
		"all around its top is cut":      {events: named, hits: []hit{hitAt(-9, -1, Fault{What: Partition, Who: "t1", Weather: cut})}, excused: true},
		"a guest's host was hit":         {events: named, looks: stays(-30, 30, "b"), hits: []hit{hitAt(-4, -1, Fault{What: Kill, Who: "b"})}, excused: true},
		"the outbox of its node is full": {events: named, hits: []hit{hitAt(-4, 9, Fault{What: Full, Who: "a"})}, excused: true},
		"it has had room for a while":    {events: named, hits: []hit{hitAt(-9, -2.1, Fault{What: Full, Who: "a"})}, want: "(a)"},
		"the outbox of another is full":  {events: named, hits: []hit{hitAt(-4, 9, Fault{What: Full, Who: "b"})}, want: "(a)"},
		"the hit was long ago":           {events: named, hits: []hit{hitAt(-30, -15.1, Fault{What: Kill, Who: "a"})}, want: "(a)"},
		"the hit comes after the naming": {events: named, hits: []hit{hitAt(0.02, 5, Fault{What: Kill, Who: "a"})}, want: "(a)"},
		"hit between end and return":     {events: late, hits: []hit{hitAt(0.2, 5, Fault{What: Kill, Who: "a"})}, want: "ended without ma1"},
		"another branch was hit":         {events: named, hits: []hit{hitAt(-4, 5, Fault{What: Kill, Who: "b"})}, want: "(a)"},
		"the node below its own was hit": {events: named, hits: []hit{hitAt(-4, 5, Fault{What: Kill, Who: "c"})}, want: "(a)"},
		"the other top was hit":          {events: named, hits: []hit{hitAt(-4, 5, Fault{What: Kill, Who: "t2"})}, want: "(a)"},
		"another connection of its node": {events: named, hits: []hit{hitAt(-4, 5, Fault{What: Partition, Who: "c", Peer: "a", Weather: cut})}, want: "(a)"},
		"the database of its node":       {events: named, hits: []hit{hitAt(-4, 5, Fault{What: Partition, Who: "a", Peer: "sql", Weather: cut})}, want: "(a)"},
		"the database":                   {events: named, hits: []hit{hitAt(-4, 5, Fault{What: SQLKill, Who: "sql"})}, want: "(a)"},
	} {
		t.Run(name, func(t *testing.T) {
			looks := tt.looks
			if looks == nil {
				looks = stays(-30, 30, "a")
			}
			j := &job{Task: Task{Top: "t1", Who: []string{"ma1"}}, jid: "j", at: day}
			if tt.refused {
				j.err = errors.New("no")
			}
			h, v := newHeard(), &verdict{}
			tt.events(h)
			v.answers(j, h, &history{hits: tt.hits, looks: map[string][]look{"t1": looks}})
			got := strings.Join(v.faults, "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
			if excused := v.sure == 0; excused != tt.excused {
				t.Errorf("excused: %v", excused)
			}
		})
	}
}

// Events that a command does not print do not count: those of a node below, and those after
// a return or after the end.
func TestHear(t *testing.T) {
	event := func(tag string, more ...any) client.Event {
		b, err := client.RawOf(wire.NewMap(more...))
		if err != nil {
			t.Fatal(err)
		}
		return client.Event{Tag: "salt/job/j/" + tag, Data: b}
	}
	gone := func(ids ...string) *wire.Map {
		out := wire.NewMap()
		for _, id := range ids {
			out.Set(id, wire.NewMap("reason", "Not connected", "path", "a"))
		}
		return out
	}
	ret := func(id string) client.Event { return event("ret/"+id, "id", id, "jid", "j", "return", true) }
	top := &top{id: "t1", jobs: map[string]*heard{}}
	for i, e := range []client.Event{
		event("missing", "missing", gone("mb1"), "from", "a"),
		ret("ma1"), event("missing", "missing", gone("ma1", "mc2")),
		event("complete", "missing", gone("mc2", "md2"), "expected", 3, "returned", 1),
		event("missing", "missing", gone("md1")), ret("mc2"), ret("mc2"),
	} {
		top.hear(e, sec(float64(i)))
	}
	h := top.record("j")
	if want := map[string]naming{"mc2": {sec(2), "Not connected", "a"}, "md2": {sec(3), "Not connected", "a"}}; !reflect.DeepEqual(h.named, want) {
		t.Errorf("named: %v", h.named)
	}
	if want := map[string]time.Time{"ma1": sec(1), "mc2": sec(5)}; !reflect.DeepEqual(h.first, want) || h.rets["mc2"] != 2 {
		t.Errorf("returned: %v, %v", h.first, h.rets)
	}
	if !h.ended.Equal(sec(3)) || len(h.ends) != 1 || h.ends[0].expected != 3 || h.ends[0].missing["md2"].reason != "Not connected" {
		t.Errorf("ended %v: %+v", h.ended, h.ends)
	}
}

func TestPlacesOf(t *testing.T) {
	minion := func(id string, s topology.State) topology.Minion { return topology.Minion{ID: id, State: s} }
	n := topology.Node{ID: "t1", State: topology.Up, Nodes: []topology.Node{
		{ID: "b", State: topology.Up, Minions: []topology.Minion{minion("ma1", topology.Up)}, Nodes: []topology.Node{
			{ID: "c", State: topology.Up, Minions: []topology.Minion{minion("mc1", topology.Up)}},
		}},
		{ID: "a", State: topology.Up, Minions: []topology.Minion{minion("ma1", topology.Down)}, Nodes: []topology.Node{
			{ID: "c", State: topology.Up, Minions: []topology.Minion{minion("mc1", topology.Up)}},
			{ID: "d", State: topology.Down, Minions: []topology.Minion{minion("md1", topology.Up)}},
		}},
	}}
	if got := fmt.Sprint(placesOf(n)); got != "map[ma1:[b] mc1:[a/c b/c]]" {
		t.Errorf("places: %s", got)
	}
}

func TestHomeOf(t *testing.T) {
	for minion, want := range map[string]string{"ma1": "a", "mc2": "a/c", "md1": "b/d"} {
		if got := homeOf(minion); got != want {
			t.Errorf("%s is at home at %q", minion, got)
		}
	}
}

func TestGuests(t *testing.T) {
	for name, tt := range map[string]struct {
		looks []look
		want  bool
	}{
		"no look":             {nil, false},
		"at home":             {stays(0, 5, "a"), false},
		"at a sibling":        {stays(0, 5, "b"), true},
		"it was at a sibling": {append(stays(0, 5, "b"), stays(5, 9, "a")...), false},
		"at both":             {stays(0, 5, "a", "b"), true},
	} {
		if got := (&history{looks: map[string][]look{"t1": nil, "t2": tt.looks}}).guests(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
