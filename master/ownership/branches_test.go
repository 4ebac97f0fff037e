package ownership

import (
	"testing"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/topology"
)

// A node that does not know who is below it is spared no job: a forwarder beside a
// master of Salt's reports no minions, and has them.
func TestBlindNodeIsSparedNothing(t *testing.T) {
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
		if got := nobody(read, expr); got != c.want {
			t.Errorf("%s: nobody is below: %v", c.name, got)
		}
	}
}
