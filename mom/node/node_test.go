package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/topology"
)

func able(string) bool { return false }

func TestPlanMoves(t *testing.T) {
	tree := func(counts ...int) topology.Node {
		n := topology.Node{ID: "top"}
		for i, k := range counts {
			c := topology.Node{ID: fmt.Sprint("n", i)}
			for j := range k {
				c.Minions = append(c.Minions, topology.Minion{ID: fmt.Sprintf("m%d-%d", i, j), State: topology.Up})
			}
			c.Minions = append(c.Minions, topology.Minion{ID: fmt.Sprint("gone-", i), State: topology.Down})
			n.Nodes = append(n.Nodes, c)
		}
		return n
	}
	all := []string{"n0", "n1", "n2"}
	for _, c := range []struct {
		counts []int
		nodes  []string
		slack  int
		want   map[string]int
	}{
		{[]int{10, 10, 10}, all, 0, nil},
		{[]int{30, 0, 0}, all, 0, map[string]int{"n1": 10, "n2": 10}},
		{[]int{31, 0, 0}, all, 0, map[string]int{"n1": 10, "n2": 10}},
		{[]int{11, 10, 9}, all, 0, map[string]int{"n2": 1}},
		{[]int{11, 10, 9}, all, 10, nil},
		{[]int{30, 0, 0}, []string{"n0", "n2"}, 0, map[string]int{"n2": 15}},
		{[]int{30, 0, 0}, []string{"n0"}, 0, nil},
		{[]int{0, 0, 0}, all, 0, nil},
		{[]int{2, 0, 0}, all, 0, map[string]int{"n1": 1}},
	} {
		got, _ := planMoves(tree(c.counts...), c.nodes, c.slack, nil, able)
		if len(got) != len(c.want) {
			t.Errorf("%v: %v", c.counts, got)
		}
		for id, n := range c.want {
			if len(got[id]) != n {
				t.Errorf("%v: %d go to %s, want %d", c.counts, len(got[id]), id, n)
			}
		}
	}
}

// A minion that is up at both nodes while it moves counts once, where it goes.
func TestPlanMoves_OnTheWay(t *testing.T) {
	up := func(ids ...string) (out []topology.Minion) {
		for _, id := range ids {
			out = append(out, topology.Minion{ID: id, State: topology.Up})
		}
		return out
	}
	tree := topology.Node{Nodes: []topology.Node{
		{ID: "a", Minions: up("m0", "m1", "m2")}, {ID: "b", Minions: up("m2", "m3", "both")}, {ID: "c", Minions: up("both")},
	}}
	_, counts := planMoves(tree, []string{"a", "b"}, 0, map[string]string{"m2": "b", "m3": "b", "m1": "b"}, able)
	if counts != "a 2, b 3" {
		t.Errorf("counted %s", counts)
	}
	if got := between(tree, map[string]string{"m2": "b", "m9": "b"}); !slices.Equal(got, []string{"m9"}) {
		t.Errorf("between are %v", got)
	}
}

// Minions that cannot move do not keep the others from moving. If no others are left, they are
// reported.
func TestPlanMoves_AskedInVain(t *testing.T) {
	n := &work{asked: map[string]int{"m2": maxAsks*askPause + 1, "m3": maxAsks*askPause + 1}}
	tree := topology.Node{Nodes: []topology.Node{{ID: "a"}, {ID: "b"}}}
	for _, id := range []string{"m0", "m1", "m2", "m3"} {
		tree.Nodes[0].Minions = append(tree.Nodes[0].Minions, topology.Minion{ID: id, State: topology.Up})
	}
	plan := func() []string {
		got, _ := planMoves(tree, []string{"a", "b"}, 0, nil, n.unable)
		slices.Sort(got["b"])
		return got["b"]
	}
	if got := plan(); !slices.Equal(got, []string{"m0", "m1"}) {
		t.Errorf("asked are %v", got)
	}
	n.asked["m0"] = maxAsks*askPause + 1
	if got := plan(); len(got) != 2 || !slices.Contains(got, "m1") {
		t.Errorf("with one left asked are %v", got)
	}
	if got := n.stuck(); !slices.Equal(got, []string{"m0", "m2", "m3"}) {
		t.Errorf("stuck are %v", got)
	}
}

func TestNodeCommand_Usage(t *testing.T) {
	for _, args := range [][]string{nil, {"drain", "--rate", "0"}, {"rebalance", "--slack", "101"}, {"drain", "x"}} {
		if got := momtest.Run(Command(), "", args...); got.Code != command.ExitUsage {
			t.Errorf("%v: %v", args, got)
		}
	}
}

func TestNodeWork_RateAndRepeats(t *testing.T) {
	n := &work{asked: map[string]int{"in-vain": maxAsks*askPause + 1}}
	if got := n.movable([]string{"a", "in-vain"}); len(got) != 1 || got[0] != "a" {
		t.Errorf("got %v", got)
	}
	if got := join([]string{"a", "b", "c"}, 2); got != "a, b and 1 more" {
		t.Errorf("got %q", got)
	}
}

// Just after `drain --undo` the parent may not know of it yet: rebalance waits for the report. If none
// arrives, it exits with a reason and an error code. Two nodes, one of which drains.
func TestRebalance_AfterDraining(t *testing.T) {
	both, one, none := housing{fit: []string{"a", "b"}}, housing{fit: []string{"a"}, draining: []string{"b"}}, housing{draining: []string{"a", "b"}}
	for _, c := range []struct {
		what  string
		says  []housing // one per call, the last repeated
		fails string
		out   string
	}{
		{"nobody drains", []housing{both}, "", ""},
		{"the report is on its way", []housing{none, one, one, both}, "", ""},
		{"one drains on", []housing{one}, "--undo", "Left out, draining: b"},
		{"one drains on, two are left", []housing{{fit: []string{"a", "b"}, draining: []string{"c"}}}, "", "draining: c"},
		{"no other node", []housing{{fit: []string{"a"}}}, "admit", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			n := &work{out: &out}
			asked := 0
			err := n.awaitFit(t.Context(), func(context.Context) (housing, error) {
				asked++
				return c.says[min(asked, len(c.says))-1], nil
			})
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) || !strings.Contains(out.String(), c.out) {
				t.Errorf("%s: %v, %q", c.what, err, out.String())
			}
		})
	}
}
