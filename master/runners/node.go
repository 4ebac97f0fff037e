package runners

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
)

// Housekeeper is an [Env] of a master whose minions may move.
type Housekeeper interface {
	// Drain says that the node wants to lose its minions, or that no longer.
	Drain(on bool) error
	// Housing tells who is connected, who is a guest, and what is owed upward.
	Housing(ctx context.Context) (*wire.Map, error)
}

var errNoHousing = errors.New("this master does not tell about moves of minions")

func init() {
	drain := func(on bool) func(context.Context, *Call) (any, error) {
		return func(_ context.Context, c *Call) (any, error) {
			h, ok := c.Env.(Housekeeper)
			if !ok {
				return nil, errNoHousing
			}
			return true, h.Drain(on)
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
			Run: func(ctx context.Context, c *Call) (any, error) {
				h, ok := c.Env.(Housekeeper)
				if !ok {
					return nil, errNoHousing
				}
				return h.Housing(ctx)
			},
		},
	)
}
