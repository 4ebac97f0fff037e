package functions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// Bind binds the arguments of a call to the parameters of its function, as Python does: an
// argument that is given by position and by name is refused. A call that cannot be bound
// carries the reason, see [Bound.Fault].
func (r *Registry[E]) Bind(q Request) Bound {
	b := &bound{registry: r, fun: q.Fun, timeout: q.Timeout, extra: value.NewMap(), shown: q.list()}
	f, ok := r.byName[q.Fun]
	if !ok {
		b.fault = unavailable(q.Fun)
		return Bound{b}
	}
	b.fault = f.bind(b, q)
	return Bound{b}
}

func unavailable(fun string) error { return fmt.Errorf("'%s' is not available.", fun) }

// bind fills b with the arguments of q. Its errors are worded as Salt's.
func (f Function[E]) bind(b *bound, q Request) error {
	star := false
	for _, a := range f.Args {
		if a == "*" {
			star = true
			continue
		}
		name := strings.TrimSuffix(a, "=")
		b.params = append(b.params, param{name: name, list: slices.Contains(f.Lists, name)})
	}
	named := min(len(q.Args), len(b.params))
	for i, v := range q.Args[:named] {
		b.params[i].value, b.params[i].given = v, true
	}
	if b.rest = slices.Clone(q.Args[named:]); len(b.rest) > 0 && !star {
		return Invalid("%s() takes %d positional arguments but %d were given", f.Name, len(b.params), len(q.Args))
	}
	var fault error
	q.Kwargs.Range(func(k, v any) bool {
		fault = f.bindKeyword(b, k, v)
		return fault == nil
	})
	if fault != nil {
		return fault
	}
	for i := range f.required() {
		if p := &b.params[i]; !p.given {
			return Invalid("%s() missing required argument: '%s'", f.Name, p.name)
		}
	}
	return nil
}

func (f Function[E]) bindKeyword(b *bound, k, v any) error {
	name, ok := k.(string)
	if !ok {
		return Invalid("%s() keywords must be strings, not %s", f.Name, Text(k))
	}
	for i := range b.params {
		p := &b.params[i]
		if p.name != name {
			continue
		}
		//mutant:access-argument-twice,hostile-argument-twice
		if p.given {
			return Invalid("%s() got multiple values for argument '%s'", f.Name, name)
		}
		p.value, p.given = v, true
		return nil
	}
	if !f.AnyKwargs {
		return Invalid("%s() got an unexpected keyword argument '%s'", f.Name, name)
	}
	b.extra.Set(name, v)
	return nil
}
