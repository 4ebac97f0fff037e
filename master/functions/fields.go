package functions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// BindFields binds a call whose arguments are fields of a load, by name, as in Salt for a load
// without arg and kwarg. Fields in others are not arguments unless the function has a parameter of
// that name.
func (r *Registry[E]) BindFields(fun string, load *value.Map, others ...string) Bound {
	kwargs, err := r.fields(fun, load, others)
	b := r.Bind(Request{Fun: fun, Kwargs: kwargs})
	if err != nil {
		b.b.fault = err
	}
	return b
}

// fields returns the fields of a load that are arguments.
func (r *Registry[E]) fields(fun string, load *value.Map, others []string) (*value.Map, error) {
	kwargs := value.NewMap()
	f, ok := r.byName[fun]
	if !ok {
		return kwargs, nil
	}
	var unknown []string
	load.Range(func(k, v any) bool {
		name, _ := k.(string)
		switch {
		case f.named(name):
			kwargs.Set(name, v)
		case slices.Contains(others, name), strings.HasPrefix(name, "__"):
		case f.AnyKwargs:
			kwargs.Set(k, v)
		default:
			unknown = append(unknown, fmt.Sprintf("'%v'", k))
		}
		return true
	})
	full := r.kind + "." + fun
	switch last := len(unknown) - 1; {
	case last == 0:
		return kwargs, fmt.Errorf("%s is an invalid keyword argument for '%s'", unknown[0], full)
	case last > 0:
		return kwargs, fmt.Errorf("%s and %s are invalid keyword arguments for '%s'", strings.Join(unknown[:last], ", "), unknown[last], full)
	}
	need, have := f.required(), 0
	for _, a := range f.Args[:need] {
		if kwargs.Has(a) {
			have++
		}
	}
	if have < need {
		_, short, _ := strings.Cut(fun, ".")
		s := "s"
		if need == 1 {
			s = ""
		}
		return kwargs, fmt.Errorf("%s takes at least %d argument%s (%d given)", short, need, s, have)
	}
	return kwargs, nil
}
