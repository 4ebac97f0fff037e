package wheels

import (
	"context"
	"errors"
	"slices"

	"github.com/momtree/mom/topology"
)

func init() {
	Register(Function{Name: "minions.connected", Run: connected, Doc: `
The ids of the connected minions of the whole tree, as far as nodes and minions report
them. Minions behind a Python syndic are unknown.

    wheel.cmd('minions.connected')
`})
}

func connected(_ context.Context, c *Call) (any, error) {
	if c.Env.Tree == nil {
		return nil, errors.New("minions.connected: the tree is not available here")
	}
	ids := up([]string{}, c.Env.Tree())
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// up appends the connected minions of a node and of the nodes below it. Minions behind a node that
// is down are not connected.
func up(ids []string, n topology.Node) []string {
	if n.State == topology.Down {
		return ids
	}
	for _, m := range n.Minions {
		if m.State == topology.Up {
			ids = append(ids, m.ID)
		}
	}
	for _, below := range n.Nodes {
		ids = up(ids, below)
	}
	return ids
}
