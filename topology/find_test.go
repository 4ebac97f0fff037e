package topology

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSearch(t *testing.T) {
	n := Node{ID: "top", State: Up, Minions: []Minion{{"a", Up, ""}, {"web-1", Down, "1"}, {"web-2", Up, ""}, {"z", Up, ""}}, Nodes: []Node{
		{ID: "s", State: Down, Nodes: []Node{{ID: "web", State: Up, Version: "2", Minions: []Minion{{"web-1", Up, ""}}}}},
		{ID: "web-n", State: Up},
	}}
	wantAll := []Place{
		{"web-n", "", true, Up, ""}, {"web", "s", true, Unknown, "2"}, {"web-1", "", false, Down, "1"}, {"web-2", "", false, Up, ""}, {"web-1", "s/web", false, Unknown, ""},
	}
	if diff := cmp.Diff(wantAll, n.Search("web", 50)); diff != "" {
		t.Error(diff)
	}
	for most := 1; most < 6; most++ {
		if diff := cmp.Diff(wantAll[:most], n.Search("web", most)); diff != "" {
			t.Errorf("%d: %s", most, diff)
		}
	}
	if diff := cmp.Diff([]Place{wantAll[2], wantAll[4]}, n.Find("web-1")); diff != "" {
		t.Error(diff)
	}
	for _, none := range []string{"web-3", "zz", "b", "top"} {
		if got := append(n.Search(none, 5), n.Find(none)...); len(got) > 0 {
			t.Errorf("%s: %v", none, got)
		}
	}
	if got := n.Search("", 3); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

// Minions that are not listed are counted all the same.
func TestNoMinions(t *testing.T) {
	n := Node{ID: "top", State: Up, Minions: []Minion{{"a", Up, ""}, {"b", Down, ""}, {"c", Unknown, ""}}, Nodes: []Node{
		{ID: "s", State: Down, Minions: []Minion{{"d", Up, ""}}},
	}}
	for _, hide := range []bool{false, true} {
		got := toJSON(n, 1, DrawOptions{NoMinions: hide}, Up)
		if fmt.Sprint(got.Own, got.Nodes[0].Own) != "{3 1 1 1} {1 0 0 1}" || (len(got.Minions) == 0) != hide || (len(got.Nodes[0].Minions) == 0) != hide || got.Minions == nil {
			t.Errorf("%v: %+v", hide, got)
		}
	}
}
