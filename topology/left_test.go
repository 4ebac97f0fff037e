package topology

import (
	"slices"
	"testing"
)

// A minion that moved to a sibling is drawn where it is, once.
func TestMinionsThatMovedAreThereOnce(t *testing.T) {
	n := Node{ID: "top", State: Up, Nodes: []Node{
		{ID: "a", State: Up, Minions: []Minion{{ID: "web-1", State: Down}, {ID: "web-2", State: Down}, {ID: "web-3", State: Up}}},
		{ID: "b", State: Up, Minions: []Minion{{ID: "web-1", State: Up}}},
		{ID: "c", State: Down, Minions: []Minion{{ID: "db-1", State: Up}, {ID: "db-2", State: Up}}},
		{ID: "d", State: Up, Minions: []Minion{{ID: "db-1", State: Up}, {ID: "web-2", State: Unknown}}},
	}}
	before := len(n.Nodes[0].Minions)
	got := map[string][]string{}
	n.withoutLeft().Walk(func(_ string, c Node) {
		for _, m := range c.Minions {
			got[c.ID] = append(got[c.ID], m.ID)
		}
	})
	want := map[string][]string{"a": {"web-2", "web-3"}, "b": {"web-1"}, "c": {"db-2"}, "d": {"db-1", "web-2"}}
	for id, minions := range want {
		if !slices.Equal(got[id], minions) {
			t.Errorf("%s has %v, want %v", id, got[id], minions)
		}
	}
	if len(n.Nodes[0].Minions) != before {
		t.Error("the tree that was given is altered")
	}
	two := Node{ID: "top", State: Up, Nodes: []Node{{ID: "a", State: Up, Minions: []Minion{{ID: "m", State: Up}}}, {ID: "b", State: Up, Minions: []Minion{{ID: "m", State: Up}}}}}
	seen := 0
	two.withoutLeft().Walk(func(_ string, c Node) { seen += len(c.Minions) })
	if _, minions, up := two.withoutLeft().Count(); seen != 2 || minions != 1 || up != 1 {
		t.Errorf("a minion that is up twice is seen %d times and counted as %d, %d up", seen, minions, up)
	}
}
