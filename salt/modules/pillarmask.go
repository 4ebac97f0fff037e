package modules

import "github.com/momtree/mom/internal/secrets"

// masked hides texts of the pillar, as Salt 3008 does, in what a user sees: where say is not
// given the option pillar_mask decides, and calls from inside the minion, such as those of
// templates, see plain values.
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

// unmask is the keyword of a function that takes any.
func unmask(c *Call) any {
	v, _ := c.Kwargs.Get("unmask")
	return v
}
