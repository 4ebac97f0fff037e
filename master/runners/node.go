package runners

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
)

// Failover controls a master whose minions may move to siblings.
type Failover interface {
	// Drain starts or stops moving minions to siblings.
	Drain(on bool) error
	// Status returns the connected minions, those of other masters, and what is pending for the
	// parents.
	Status() *wire.Map
}

// Mover is an [Env] of a master with siblings. Failover returns nil with rehome: False.
type Mover interface{ Failover() Failover }

var errNoFailover = errors.New("minions of this master do not move to siblings: option rehome is False")

func failoverOf(e Env) (Failover, error) {
	if m, ok := e.(Mover); ok {
		if f := m.Failover(); f != nil {
			return f, nil
		}
	}
	return nil, errNoFailover
}

func init() {
	drain := func(on bool) func(context.Context, *Call) (any, error) {
		return func(_ context.Context, c *Call) (any, error) {
			f, err := failoverOf(c.Env)
			if err != nil {
				return nil, err
			}
			return true, f.Drain(on)
		}
	}
	Register(
		Function{
			Name: "node.drain",
			Doc: `
Mark this node as draining: minions neither fail over to it nor return to it. The command
mom node drain also moves its minions away.

    salt-run node.drain
`,
			Run: drain(true),
		},
		Function{
			Name: "node.undrain",
			Doc: `
Undo node.drain: minions that left return.

    salt-run node.undrain
`,
			Run: drain(false),
		},
		Function{
			Name: "node.status",
			Doc: `
The minions and nodes connected to this node, its guests, its minions without presence
reports, the nodes below it, its siblings, whether it is draining, and how many returns
are pending for the master above.

    salt-run node.status
`,
			Run: func(_ context.Context, c *Call) (any, error) {
				f, err := failoverOf(c.Env)
				if err != nil {
					return nil, err
				}
				return f.Status(), nil
			},
		},
	)
}
