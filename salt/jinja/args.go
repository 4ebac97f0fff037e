package jinja

import (
	"math/big"
	"strings"

	"github.com/momtree/mom/value"
)

// Args are the arguments of a call.
type Args struct {
	Pos   []any
	names []string
	vals  []any
}

// NewArgs returns positional arguments.
func NewArgs(pos ...any) *Args { return &Args{Pos: pos} }

// Set adds a keyword.
func (a *Args) Set(name string, v any) { a.set(name, v) }

func (a *Args) set(name string, v any) {
	a.names = append(a.names, name)
	a.vals = append(a.vals, v)
}

// Keyword returns a keyword argument.
func (a *Args) Keyword(name string) (any, bool) {
	for i, n := range a.names {
		if n == name {
			return a.vals[i], true
		}
	}
	return nil, false
}

// Keywords returns the keyword arguments in order.
func (a *Args) Keywords() *Dict {
	d := &Dict{}
	for i, n := range a.names {
		d.Set(n, a.vals[i])
	}
	return d
}

// keywords is Keywords with the values counted.
func (r *Run) keywords(a *Args) *Dict {
	r.roomDict(len(a.names))
	return a.Keywords()
}

// Values returns the arguments as values of package value.
func (r *Run) Values(a *Args) ([]any, *value.Map, error) {
	pos := make([]any, len(a.Pos))
	for i, v := range a.Pos {
		g, err := r.Give(v)
		if err != nil {
			return nil, nil, err
		}
		pos[i] = g
	}
	kw := value.NewMap()
	for i, n := range a.names {
		g, err := r.Give(a.vals[i])
		if err != nil {
			return nil, nil, err
		}
		kw.Set(n, g)
	}
	return pos, kw, nil
}

// Bound are the arguments of a call, by parameter.
type Bound struct {
	fn    string
	names []string
	vals  []any
	given []bool
}

// Bind assigns arguments to parameters. params are their names ("a b c"), of which the
// first required are mandatory. Too many or unknown arguments fail the run as in Python.
func (a *Args) Bind(fn string, required int, params string) *Bound {
	names := strings.Fields(params)
	b := &Bound{fn: fn, names: names, vals: make([]any, len(names)), given: make([]bool, len(names))}
	if len(a.Pos) > len(names) {
		throw("%s() takes at most %d arguments (%d given)", fn, len(names), len(a.Pos))
	}
	for i, v := range a.Pos {
		b.vals[i], b.given[i] = v, true
	}
next:
	for i, n := range a.names {
		for j, p := range names {
			if p == n {
				if b.given[j] {
					throw("%s() got multiple values for argument '%s'", fn, n)
				}
				b.vals[j], b.given[j] = a.vals[i], true
				continue next
			}
		}
		throw("%s() got an unexpected keyword argument '%s'", fn, n)
	}
	for i := range required {
		if !b.given[i] {
			throw("%s() missing 1 required positional argument: '%s'", fn, names[i])
		}
	}
	return b
}

// Given reports whether argument i was given.
func (b *Bound) Given(i int) bool { return b.given[i] }

// Any returns argument i, or def.
func (b *Bound) Any(i int, def any) any {
	if !b.given[i] {
		return def
	}
	return b.vals[i]
}

func (b *Bound) bad(i int, want string) {
	failUndefined(b.vals[i])
	throw("%s() argument '%s' must be %s, not %s", b.fn, b.names[i], want, typeName(b.vals[i]))
}

// Str returns argument i as a string, or def.
func (b *Bound) Str(i int, def string) string {
	if !b.given[i] {
		return def
	}
	s, ok := b.vals[i].(string)
	if !ok {
		b.bad(i, "str")
	}
	return s
}

// Int returns argument i as an integer, or def.
func (b *Bound) Int(i int, def int) int {
	if !b.given[i] {
		return def
	}
	n, ok := smallInt(b.vals[i])
	if !ok || int64(int32(n)) != n {
		if _, big := b.vals[i].(*big.Int); ok || big {
			throw("%s() argument '%s' is too large", b.fn, b.names[i])
		}
		b.bad(i, "int")
	}
	return int(n)
}

// Bool returns the truth of argument i, or def.
func (b *Bound) Bool(i int, def bool) bool {
	if !b.given[i] {
		return def
	}
	return Truth(b.vals[i])
}
