package runners

import "context"

func init() {
	register(Function{
		Name: "topology.tree",
		Doc: `
The tree of nodes and minions from this master down, each with its state.

    salt-run topology.tree
`,
		Run: func(_ context.Context, c *Call) (any, error) {
			return c.Env.Tree().Map(), nil
		},
	})
}
