package ownership

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/topology"
)

// WhereNow finds a minion only where it is up.
func TestWhereNow(t *testing.T) {
	tree := topology.NewTree(topology.Node{ID: "top"}, nil)
	p, err := Open(Options{PkiDir: t.TempDir(), SyndicDir: t.TempDir(), Cachedir: t.TempDir(), Tree: tree})
	if err != nil {
		t.Fatal(err)
	}
	node := func(id string, at topology.State, minion string, below ...topology.Node) topology.Node {
		return topology.Node{
			ID: id, Role: "syndic", State: topology.Up, Version: "test", Nodes: below,
			Minions: []topology.Minion{{ID: minion, State: at}},
		}
	}
	for _, n := range []topology.Node{
		node("n1", topology.Down, "a", node("n3", topology.Up, "b", node("n5", topology.Up, "e")), node("n4", topology.Down, "b"),
			node("n6", topology.Up, "d", node("n7", topology.Down, "e"))),
		node("n2", topology.Up, "a"),
	} {
		if err := tree.Report(n, 1); err != nil {
			t.Fatal(err)
		}
		p.Claims().Report(n)
	}
	for _, c := range []struct{ id, other, want string }{
		{"a", "n1", "n2"},
		{"a", "n2", ""},
		{"b", "n1/n4", "n1/n3"},
		{"b", "n1/n3", ""},
		{"c", "", ""},
		{"d", "n1/n6", ""},            // the node that misses it still lists it
		{"e", "n1/n6/n7", "n1/n3/n5"}, // not at a sibling
		{"e", "n1/nowhere/n8", "n1/n3/n5"},
		{"b", "", "n1/n3"},
	} {
		if got, ok := p.WhereNow(c.id, c.other); got != c.want || ok != (c.want != "") {
			t.Errorf("%s beside %q is at %q", c.id, c.other, got)
		}
	}
}

// BenchmarkWhereNow drains a node of 10,000 minions below one with 1,000 nodes.
func BenchmarkWhereNow(b *testing.B) {
	tree := topology.NewTree(topology.Node{ID: "top"}, nil)
	p, err := Open(Options{PkiDir: b.TempDir(), SyndicDir: b.TempDir(), Cachedir: b.TempDir(), Tree: tree})
	if err != nil {
		b.Fatal(err)
	}
	mid := topology.Node{ID: "mid", Role: "syndic", State: topology.Up}
	id := func(i, k int) string { return fmt.Sprintf("n%04d-m%04d", i, k) }
	for i := range 1000 {
		n := topology.Node{ID: fmt.Sprintf("n%04d", i), State: topology.Up}
		for k := range 100 {
			n.Minions = append(n.Minions, topology.Minion{ID: id(i, k), State: topology.Up})
		}
		mid.Nodes = append(mid.Nodes, n)
	}
	if err := tree.Report(mid, 1); err != nil {
		b.Fatal(err)
	}
	p.Claims().Report(mid)
	for i := 0; b.Loop(); i++ {
		if _, ok := p.WhereNow(id(i%1000, i%100), "mid/gone"); !ok {
			b.Fatal("not found")
		}
	}
}
