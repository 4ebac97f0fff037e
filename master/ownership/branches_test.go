package ownership

import (
	"testing"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/topology"
)

// A node that does not know its minions gets every job: a forwarder beside a Salt master reports
// no minions, but has some.
func TestNodesBelow_BlindNode(t *testing.T) {
	expr, err := target.Parse("*", "glob", target.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		node topology.Node
		want bool
	}{
		{"empty", topology.Node{ID: "n", Version: "1"}, true},
		{"blind", topology.Node{ID: "n", Version: "1", Blind: true}, false},
		{"blind below", topology.Node{ID: "n", Version: "1", Nodes: []topology.Node{{ID: "f", Version: "1", State: topology.Up, Blind: true}}}, false},
		{"Python syndic", topology.Node{ID: "n"}, false},
	} {
		read, err := topology.FromMap(c.node.Map())
		if err != nil {
			t.Fatal(err)
		}
		if got := noneMatch(read, expr); got != c.want {
			t.Errorf("%s: no minion matches: %v", c.name, got)
		}
	}
}
