package runners

import (
	"testing"

	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/value"
)

func TestExtend_Fleet(t *testing.T) {
	env := &stage{tree: topology.Node{
		ID: "top", Minions: []topology.Minion{{ID: "a", State: topology.Up}, {ID: "b", State: topology.Down}},
		Nodes: []topology.Node{{ID: "n1", Minions: []topology.Minion{{ID: "c", State: topology.Up}}}},
	}}
	for state, want := range map[string]any{"up": 2, "down": 1, "": 3} {
		v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "fleet.count", Kwargs: value.NewMap("state", state)}), Env: env})
		if err != nil || v != want {
			t.Errorf("%s: %v, want %v, %v", state, v, want, err)
		}
	}
	if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "fleet.count", Args: []any{"odd"}}), Env: env}); err == nil {
		t.Error("an odd state is counted")
	}
}
