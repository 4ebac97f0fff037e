package runners

import (
	"context"
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// shape is an Env that has only a tree.
type shape struct {
	Env
	tree topology.Node
}

func (s shape) Tree() topology.Node { return s.tree }

func TestTopology(t *testing.T) {
	env := shape{tree: topology.Node{ID: "top", Role: "master", State: topology.Up, Nodes: []topology.Node{
		{ID: "a", State: topology.Down, Minions: []topology.Minion{{ID: "web", State: topology.Up}}},
		{ID: "b", State: topology.Up, Vitals: topology.Vitals{Jobs: 3}, Nodes: []topology.Node{
			{ID: "c", State: topology.Up, Minions: []topology.Minion{{ID: "web", State: topology.Up}}},
		}},
	}}}
	for _, c := range []struct{ fun, id, want string }{
		{"path", "web", "[top b c web]"},
		{"path", "c", "[top b c]"},
		{"path", "top", "[top]"},
		{"path", "nobody", "error"},
		{"whereis", "web", "[top/a/web minion unknown top/b/c/web minion up]"},
		{"whereis", "a", "[top/a node down]"},
		{"whereis", "nobody", "[]"},
	} {
		v, err := Run(context.Background(), &Call{Bound: Bind(Request{Fun: "topology." + c.fun, Args: []any{c.id}}), Env: env})
		if err != nil {
			v = "error"
		}
		if got := flat(v); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.fun, c.id, got, c.want)
		}
	}
	v, err := Run(context.Background(), &Call{Bound: Bind(Request{Fun: "topology.nodes"}), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	nodes := v.(*wire.Map)
	b := nodes.Map("top/b")
	if nodes.Len() != 4 || b.String("state") != "up" || fmt.Sprint(b.Get("jobs")) != "3 true" || fmt.Sprint(b.Get("minions_up")) != "1 true" {
		t.Errorf("%d nodes, %v", nodes.Len(), flat(b))
	}
	v, err = Run(context.Background(), &Call{Bound: Bind(Request{Fun: "topology.problems"}), Env: env})
	if err != nil || len(v.([]any)) != 1 || v.([]any)[0].(*wire.Map).String("path") != "top/a" {
		t.Errorf("%v, %v", v, err)
	}
}

func flat(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	out := []any{}
	for _, x := range list {
		if m, ok := x.(*wire.Map); ok {
			for _, k := range m.Keys() {
				val, _ := m.GetKey(k)
				out = append(out, val)
			}
			continue
		}
		out = append(out, x)
	}
	return fmt.Sprint(out)
}
