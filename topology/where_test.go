package topology_test

import (
	"strings"
	"testing"

	"github.com/momtree/mom/topology"
)

func minions(ids ...string) (out []topology.Minion) {
	for _, id := range ids {
		out = append(out, topology.Minion{ID: id, State: topology.Up})
	}
	return out
}

func TestWhere(t *testing.T) {
	node := func(id string, own []topology.Minion, below ...topology.Node) topology.Node {
		return topology.Node{ID: id, Version: "1", State: topology.Up, Minions: own, Nodes: below}
	}
	python := topology.Node{ID: "salt-syndic", State: topology.Up}
	tree := node("top", minions("t1"),
		node("eu", minions("e1"), node("paris", minions("p2", "p1")), node("rome", minions("r1", "p1"))),
		node("us", nil, node("paris", minions("texas"))))
	mixed := node("top", minions("t1"), node("eu", minions("e1")), python)
	for _, c := range []struct {
		root          topology.Node
		letter, which string
		want, err     string
	}{
		{tree, "B", "eu", "e1 p1 p2 r1", ""},
		{tree, "B", "paris", "p1 p2 texas", ""},
		{tree, "B", "eu/paris", "p1 p2", ""},
		{tree, "B", "us/*", "texas", ""},
		{tree, "B", "r*", "p1 r1", ""},
		{tree, "B", "x*", "", ""},
		{tree, "B", "us", "texas", ""},
		{tree, "B", "top", "", "no node top below"},
		{tree, "B", "eu/london", "", "no node eu/london below"},
		{tree, "D", "0", "t1", ""},
		{tree, "D", "1", "e1", ""},
		{tree, "D", "2", "p1 p2 r1 texas", ""},
		{tree, "D", "3", "", ""},
		{tree, "D", "0-1", "e1 t1", ""},
		{tree, "D", "1-", "e1 p1 p2 r1 texas", ""},
		{tree, "D", "-1", "", `invalid depth "-1"`},
		{tree, "D", "2-1", "", `invalid depth "2-1"`},
		{tree, "D", "17", "", `invalid depth "17"`},
		{tree, "D", "deep", "", `invalid depth "deep"`},
		{tree, "X", "1", "", "unknown target type X@"},
		{mixed, "B", "eu", "e1", ""},
		{mixed, "B", "salt-*", "", "minions behind node salt-syndic are not known"},
		{mixed, "B", "*", "", "minions behind node salt-syndic are not known"},
		{mixed, "D", "0", "t1", ""},
		{mixed, "D", "1", "", "minions behind node salt-syndic are not known"},
	} {
		got, err := c.root.Where(c.letter, c.which)
		switch {
		case c.err == "" && (err != nil || strings.Join(got, " ") != c.want):
			t.Errorf("%s@%s: %v %v, want %s", c.letter, c.which, got, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s@%s: %v %v, want the error %s", c.letter, c.which, got, err, c.err)
		}
	}
}
