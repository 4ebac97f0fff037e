package runners

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

func init() {
	Register(
		Function{
			Name: "topology.tree", Reads: true,
			Doc: `
The tree of nodes and minions from this master down, each with its state.

    salt-run topology.tree
`,
			Run: func(_ context.Context, c *Call) (any, error) {
				return c.Env.Tree().Map(), nil
			},
		},
		Function{
			Name: "topology.nodes", Reads: true,
			Doc: `
The nodes from this master down: one entry each by its path, with its own report and
without the names of minions. Nodes known only by gossip follow under heard/.

    salt-run topology.nodes
`,
			Run: func(_ context.Context, c *Call) (any, error) {
				return nodesOf(c.Env.Tree()), nil
			},
		},
		Function{
			Name: "topology.problems", Reads: true,
			Doc: `
The problems of the tree: loops, duplicate ids, differing clocks and versions, partitions,
nodes that are down, outboxes with old rows, and jobs that are open for too long.

    salt-run topology.problems
`,
			Run: func(_ context.Context, c *Call) (any, error) {
				out := []any{}
				for _, p := range topology.Problems(c.Env.Tree()) {
					out = append(out, p.Map())
				}
				return out, nil
			},
		},
		Function{
			Name: "topology.path", Reads: true, Args: []string{"id"},
			Doc: `
The ids from this master down to the minion or node id: the way that its jobs take. Of
several ways the result is the first that is connected; topology.whereis returns all.

    salt-run topology.path web-01
`,
			Run: func(_ context.Context, c *Call) (any, error) {
				id, tree := c.Text("id"), c.Env.Tree()
				places := placesOf(tree, id)
				if len(places) == 0 {
					return nil, fmt.Errorf("%s is neither a minion nor a node of this tree", id)
				}
				best := places[0]
				for _, p := range places {
					if rank(p.State) > rank(best.State) {
						best = p
					}
				}
				out := []any{}
				for _, part := range strings.Split(pathOf(tree, best, id), "/") {
					out = append(out, part)
				}
				return out, nil
			},
		},
		Function{
			Name: "topology.whereis", Reads: true, Args: []string{"id"},
			Doc: `
All places in the tree of the minion or node id: its path, whether it is a node, and its
state there.

    salt-run topology.whereis web-01
`,
			Run: func(_ context.Context, c *Call) (any, error) {
				id, tree := c.Text("id"), c.Env.Tree()
				out := []any{}
				for _, p := range placesOf(tree, id) {
					kind := "minion"
					if p.Node {
						kind = "node"
					}
					out = append(out, wire.NewMap("path", pathOf(tree, p, id), "kind", kind, "state", string(p.State)))
				}
				return out, nil
			},
		},
	)
}

// placesOf is [topology.Node.Find], extended to the master itself.
func placesOf(tree topology.Node, id string) []topology.Place {
	places := tree.Find(id)
	if id == tree.ID {
		places = append([]topology.Place{{Node: true, State: topology.Up}}, places...)
	}
	return places
}

func pathOf(tree topology.Node, p topology.Place, id string) string {
	path := tree.ID
	if p.Path != "" {
		path += "/" + p.Path
	}
	if p.Path == "" && p.Node && id == tree.ID {
		return path
	}
	return path + "/" + id
}

func nodesOf(tree topology.Node) *wire.Map {
	out := wire.NewMap()
	tree.Walk(func(path string, n topology.Node) {
		full, depth := tree.ID, 0
		if path != "" {
			full, depth = full+"/"+path, strings.Count(path, "/")+1
		}
		nodes, minions, up := n.Count()
		d := wire.NewMap("id", n.ID, "role", n.Role, "version", n.Version, "state", string(n.State),
			"since", n.Since.UTC().Format(time.RFC3339Nano), "depth", depth, "children", len(n.Nodes), "minions", len(n.Minions),
			"nodes_below", nodes, "minions_below", minions, "minions_up", up)
		n.Vitals.Map().Range(func(k, v any) bool { d.Set(k, v); return true })
		out.Set(full, d)
	})
	for _, h := range tree.Heard {
		out.Set("heard/"+h.ID, wire.NewMap("id", h.ID, "role", h.Role, "version", h.Version, "state", string(h.State),
			"since", h.Since.UTC().Format(time.RFC3339Nano), "addr", h.Addr, "parent", h.Parent, "minions_below", h.Minions, "trust", h.Trust))
	}
	return out
}
