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

var errNoFailover = errors.New("no minion of this master moves to siblings: its option rehome is False")

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
Say that this node wants to lose its minions: none comes here as a guest or comes
home any more. mom node drain says this and moves those that are here.

    salt-run node.drain
`,
			Run: drain(true),
		},
		Function{
			Name: "node.undrain",
			Doc: `
Take node.drain back: minions that left come home by themselves.

    salt-run node.undrain
`,
			Run: drain(false),
		},
		Function{
			Name: "node.status",
			Doc: `
Who is connected to this node, who of them is a guest, which minions do not tell
whether they are there, which nodes are below, which are its siblings, whether it is
draining, and how many returns it owes upward.

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
