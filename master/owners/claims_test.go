package owners

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/topology"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestClaims(t *testing.T) {
	o, err := OpenClaims(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	node := func(id string, ms ...topology.Minion) topology.Node {
		return topology.Node{ID: id, State: topology.Up, Minions: ms}
	}
	up := topology.Minion{ID: "a", State: topology.Up}
	down := topology.Minion{ID: "a", State: topology.Down}
	live := func(string) bool { return true }
	o.Report(node("n1", up))
	o.Report(node("n2", up)) // a minion of two masters
	if !o.Has("n1", "a") || !o.Has("n2", "a") {
		t.Error("both have it")
	}
	o.Report(node("n1", down))
	if other, ok := o.Elsewhere("a", live); !ok || other != "n2" {
		t.Errorf("connected to %q", other)
	}
	o.Report(node("n1"))
	if o.Has("n1", "a") || !o.Has("n2", "a") || len(o.more) != 0 {
		t.Errorf("left %v %v", o.first, o.more)
	}
	deep := node("n1", topology.Minion{ID: "b", State: topology.Up})
	deep.Nodes = []topology.Node{{ID: "n3", State: topology.Down, Minions: []topology.Minion{{ID: "c", State: topology.Up}}}}
	o.Report(deep)
	if _, ok := o.Elsewhere("c", live); ok || !o.Has("n1", "c") || !o.HasNode("n1", "n3") {
		t.Error("below a node that is down nobody is connected")
	}
	o.Forget("n2")
	o.Forget("n1")
	if len(o.first) != 0 || len(o.ids) != 0 {
		t.Errorf("left %v", o.first)
	}
}
