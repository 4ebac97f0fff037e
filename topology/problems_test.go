package topology

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestProblems(t *testing.T) {
	node := func(id string, change func(*Node)) Node {
		n := Node{ID: id, Role: "syndic", Version: "1", State: Up, Life: "life of " + id}
		change(&n)
		return n
	}
	nothing := func(*Node) {}
	for _, c := range []struct {
		name string
		tree []Node
		want string // kind path of each
	}{
		{"nothing", []Node{node("a", nothing), node("b", nothing)}, ""},
		{"down", []Node{node("a", func(n *Node) {
			n.State, n.Vitals.PendingAge = Down, time.Hour
			n.Nodes = []Node{node("c", func(n *Node) { n.State = Down })}
		})}, "down top/a"},
		{"backlog", []Node{node("a", func(n *Node) { n.Vitals.Pending, n.Vitals.PendingAge = 5, 2*time.Minute })}, "backlog top/a"},
		{"clock ahead", []Node{node("a", func(n *Node) { n.Vitals.Skew = time.Minute })}, "clock-skew top/a"},
		{"clock behind", []Node{node("a", func(n *Node) { n.Vitals.Skew = -time.Minute })}, "clock-skew top/a"},
		{"clock near", []Node{node("a", func(n *Node) { n.Vitals.Skew = -time.Second })}, ""},
		{"version", []Node{node("a", func(n *Node) { n.Nodes = []Node{node("c", func(n *Node) { n.Version = "2" })} })}, "version-skew top/a/c"},
		{"no version", []Node{node("a", func(n *Node) { n.Version = "" })}, ""},
		{"one node below two masters", []Node{
			node("a", func(n *Node) { n.Nodes = []Node{node("c", func(n *Node) { n.Minions = []Minion{{"m", Up, ""}} })} }),
			node("b", func(n *Node) { n.Nodes = []Node{node("c", func(n *Node) { n.Minions = []Minion{{"m", Up, ""}} })} }),
		}, ""},
		{"one id on two nodes", []Node{
			node("a", func(n *Node) { n.Nodes = []Node{node("c", nothing)} }),
			node("b", func(n *Node) { n.Nodes = []Node{node("c", func(n *Node) { n.Life = "other" })} }),
		}, "duplicate-node top/a/c"},
		{"a node that moved", []Node{
			node("a", func(n *Node) { n.Nodes = []Node{node("c", func(n *Node) { n.State, n.Life = Down, "old" })} }),
			node("b", func(n *Node) { n.Nodes = []Node{node("c", nothing)} }),
		}, "down top/a/c"},
		{"a minion at two nodes", []Node{
			node("a", func(n *Node) { n.Minions = []Minion{{"m", Up, ""}} }),
			node("b", func(n *Node) { n.Minions = []Minion{{"m", Up, ""}, {"n", Up, ""}} }),
			node("c", func(n *Node) { n.Minions = []Minion{{"m", Down, ""}} }),
		}, "duplicate-minion top/b/m"},
		{"minions down", []Node{
			node("a", func(n *Node) { n.Minions = []Minion{{"m", Down, ""}, {"moved", Down, ""}, {"new", Unknown, ""}} }),
			node("b", func(n *Node) { n.Minions = []Minion{{"moved", Up, ""}} }),
			node("c", func(n *Node) { n.State, n.Minions = Down, []Minion{{"behind", Down, ""}} }),
		}, "minions-down top/a, down top/c"},
		{"a dead minion that two nodes have", []Node{
			node("a", func(n *Node) { n.Minions = []Minion{{"m", Down, ""}} }),
			node("b", func(n *Node) { n.Minions = []Minion{{"m", Down, ""}} }),
		}, "minions-down top/a"},
		{"reported by itself", []Node{node("a", func(n *Node) {
			n.Problems = []Problem{{Kind: Partition, Path: "x", Detail: "d"}, {Kind: Loop}}
		})}, "loop top/a, partition top/a/x"},
	} {
		got := Problems(Node{ID: "top", Version: "1", State: Up, Life: "life of top", Nodes: c.tree})
		var said []string
		for _, p := range got {
			said = append(said, fmt.Sprint(p.Kind, " ", p.Path))
		}
		if s := strings.Join(said, ", "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

// However many minions are down, one problem per node reports it. Size: 100,000 (the
// bound is 20 names).
func TestProblems_ManyMinionsDown(t *testing.T) {
	n := Node{ID: "top", Version: "1", State: Up}
	for i := range 100000 {
		n.Minions = append(n.Minions, Minion{ID: fmt.Sprintf("m%05d", i), State: Down})
	}
	ps := Problems(n)
	if len(ps) != 1 || ps[0].Kind != MinionsDown || ps[0].Path != "top" {
		t.Fatalf("%d problems", len(ps))
	}
	if d := ps[0].Detail; !strings.HasPrefix(d, "100000 minions not connected: m00000, m00001,") || !strings.Contains(d, "m00019 and 99980 more;") || len(d) > 400 {
		t.Error(d)
	}
}

// Each problem says what the operator can do.
func TestProblemsSayWhatToDo(t *testing.T) {
	up := func(id string) Node {
		return Node{ID: id, Role: "syndic", Version: "1", State: Up, Life: "life of " + id}
	}
	down, old, late, skewed, twin := up("a"), up("a"), up("a"), up("a"), up("a")
	down.State = Down
	old.Version = "0"
	late.Vitals.PendingAge = time.Hour
	skewed.Vitals.Skew = time.Hour
	twin.Life = "another"
	for kind, c := range map[Kind]struct {
		nodes  []Node
		advice string
	}{
		NodeDown:      {[]Node{down}, "start it, or see in its log"},
		VersionSkew:   {[]Node{old}, "upgrade"},
		Backlog:       {[]Node{late}, "is its parent or its database away"},
		ClockSkew:     {[]Node{skewed}, "NTP"},
		DuplicateNode: {[]Node{up("a"), twin}, "give each its own `id`"},
	} {
		ps := Problems(Node{ID: "top", Version: "1", State: Up, Life: "life of top", Nodes: c.nodes})
		if len(ps) != 1 || ps[0].Kind != kind || !strings.Contains(ps[0].Detail, c.advice) {
			t.Errorf("%s: problems %+v, want one that says %q", kind, ps, c.advice)
		}
	}
}
