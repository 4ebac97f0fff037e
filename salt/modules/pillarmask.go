package modules

import "github.com/momtree/mom/internal/secrets"

// masked hides strings of the pillar from users, as Salt 3008 does. If say is not given,
// the option pillar_mask decides. Calls from inside the minion, such as those of templates,
// get plain values.
func masked(c *Call, v, say any) any {
	plain := !c.Direct || !isTrue(c.Env.Option("pillar_mask"))
	if say != nil {
		plain = isTrue(say)
	}
	if plain {
		return v
	}
	return secrets.Hide(v)
}

// unmask returns the keyword unmask of a function with VarKw.
func unmask(c *Call) any {
	v, _ := c.Kwargs.Get("unmask")
	return v
}
