package functions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// Fields makes a call of the fields of a load, of which but those in others each is an
// argument by its name, as Salt does where there are no arg and kwarg. Of a function
// that there is none of it is a call without arguments.
func (r *Registry[E]) Fields(fun string, load *value.Map, others ...string) (*Call[E], error) {
	c := &Call[E]{Fun: fun, Kwargs: value.NewMap()}
	f, ok := r.byName[fun]
	if !ok {
		return c, nil
	}
	var unknown []string
	load.Range(func(k, v any) bool {
		name, _ := k.(string)
		switch {
		case f.named(name):
			c.Kwargs.Set(name, v)
		case slices.Contains(others, name), strings.HasPrefix(name, "__"):
		case f.AnyKwargs:
			c.Kwargs.Set(k, v)
		default:
			unknown = append(unknown, fmt.Sprintf("'%v'", k))
		}
		return true
	})
	full := r.kind + "." + fun
	switch last := len(unknown) - 1; {
	case last == 0:
		return nil, fmt.Errorf("%s is an invalid keyword argument for '%s'", unknown[0], full)
	case last > 0:
		return nil, fmt.Errorf("%s and %s are invalid keyword arguments for '%s'", strings.Join(unknown[:last], ", "), unknown[last], full)
	}
	need, have := f.required(), 0
	for _, a := range f.Args[:need] {
		if c.Kwargs.Has(a) {
			have++
		}
	}
	if have < need {
		_, short, _ := strings.Cut(fun, ".")
		s := "s"
		if need == 1 {
			s = ""
		}
		return nil, fmt.Errorf("%s takes at least %d argument%s (%d given)", short, need, s, have)
	}
	return c, nil
}
