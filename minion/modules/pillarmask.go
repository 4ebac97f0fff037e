package modules

import "github.com/momtree/mom/internal/wire"

// hidden stands in the place of a text of the pillar, as in Salt 3008.
const hidden = "**********"

// masked hides texts of the pillar, as Salt 3008 does, in what a user sees: where say is not
// given the option pillar_mask decides, and calls from inside the minion, such as those of
// templates, see plain values.
func masked(c *Call, v, say any) any {
	plain := !c.Direct || !truth(c.Env.Option("pillar_mask"))
	if say != nil {
		plain = truth(say)
	}
	if plain {
		return v
	}
	return hide(v)
}

// unmask is the keyword of a function that takes any.
func unmask(c *Call) any {
	v, _ := c.Kwargs.Get("unmask")
	return v
}

// hide replaces texts within maps and lists. Numbers, truth values and empty texts stay.
func hide(v any) any {
	switch v := wire.Normal(v).(type) {
	case *wire.Map:
		m := wire.NewMap()
		v.Range(func(k, e any) bool {
			m.Set(k, hide(e))
			return true
		})
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = hide(e)
		}
		return l
	case string:
		if v != "" {
			return hidden
		}
	}
	return v
}
