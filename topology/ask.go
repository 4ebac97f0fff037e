package topology

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
)

// Ask gets the tree as a master knows it, from its runner topology.tree. A client of
// the master is what asks.
func Ask(ctx context.Context, client interface {
	Runner(ctx context.Context, fun string, args []any, kwargs *wire.Map) (any, error)
},
) (n Node, err error) {
	v, err := client.Runner(ctx, "topology.tree", nil, nil)
	if err != nil {
		return n, err
	}
	m, ok := v.(*wire.Map)
	if !ok {
		return n, errors.New("the master's answer is not a tree")
	}
	return FromMap(m)
}
