package functions

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Bound is a call with its arguments bound to the parameters of its function.
// [Registry.Bind] alone makes one. Access rules judge it and the function runs from it, so
// that what is judged is what is done. The zero Bound calls nothing.
type Bound struct{ b *bound }

type bound struct {
	registry any // the registry that bound it
	fun      string
	params   []param
	rest     []any      // what "*" collects
	extra    *value.Map // keywords without a parameter
	fault    error      // why the arguments cannot be bound
	timeout  time.Duration
	shown    []any
}

// param is a named parameter.
type param struct {
	name  string
	value any
	given bool
	list  bool // see [Function.Lists]
}

var errUnbound = errors.New("a call without a function")

// get never returns nil.
func (b Bound) get() *bound {
	if b.b == nil {
		return &bound{extra: value.NewMap(), fault: errUnbound}
	}
	return b.b
}

// Fun returns the name of the function, module.function.
func (b Bound) Fun() string { return b.get().fun }

// Fault returns why the function cannot be called with these arguments, or nil. A call with a fault
// never runs.
func (b Bound) Fault() error { return b.get().fault }

// Timeout returns the timeout of the [Request].
func (b Bound) Timeout() time.Duration { return b.get().timeout }

// Shown returns the arguments as received, in Salt's form, for events and the audit.
func (b Bound) Shown() []any { return slices.Clone(b.get().shown) }

// Arg returns the argument of a parameter, or a keyword argument without a parameter.
func (b Bound) Arg(name string) (any, bool) {
	v := b.get()
	for _, p := range v.params {
		if p.name == name {
			return p.value, p.given
		}
	}
	return v.extra.Get(name)
}

// Rest returns the positional arguments beyond the named parameters, for a function with "*".
func (b Bound) Rest() []any { return slices.Clone(b.get().rest) }

// Extra returns the keyword arguments without a parameter, for a function with AnyKwargs.
func (b Bound) Extra() *value.Map { return b.get().extra.Clone() }

// Judged is an argument in the form that rules match.
type Judged struct {
	// Name is the name of the parameter; "" for a positional argument without one.
	Name string
	// Texts are the strings that an expression must match, all of them: the names in a list, or the
	// argument as text.
	Texts []string
}

// At returns the argument for entry i of a rule's args: the parameter at this position, whether the
// call passed it by position or by name.
func (b Bound) At(i int) (Judged, bool) {
	v := b.get()
	//mutant:hostile-argument-twice-2
	if i < len(v.params) {
		return v.params[i].judged()
	}
	if i -= len(v.params); i < len(v.rest) {
		return Judged{"", []string{Text(v.rest[i])}}, true
	}
	return Judged{}, false
}

// Named returns the argument for an entry of a rule's kwargs: the parameter of this name, whether
// passed by name or by position, or a keyword argument without a parameter.
func (b Bound) Named(name string) (Judged, bool) {
	v := b.get()
	for _, p := range v.params {
		if p.name == name {
			return p.judged()
		}
	}
	x, ok := v.extra.Get(name)
	return Judged{name, []string{Text(x)}}, ok
}

// All returns all arguments in the form that rules match, in the order of the parameters.
func (b Bound) All() (out []Judged) {
	v := b.get()
	for _, p := range v.params {
		if j, given := p.judged(); given {
			out = append(out, j)
		}
	}
	for _, x := range v.rest {
		out = append(out, Judged{"", []string{Text(x)}})
	}
	v.extra.Range(func(k, x any) bool {
		out = append(out, Judged{Text(k), []string{Text(x)}})
		return true
	})
	return out
}

func (p param) judged() (Judged, bool) {
	//mutant:access-names-in-a-list
	if names := namesIn(p.value); p.list && p.given && len(names) > 0 {
		return Judged{p.name, names}, true
	}
	return Judged{p.name, []string{Text(p.value)}}, p.given
}

// Text converts an argument to text as Python's str does. Rules and functions share it.
func Text(v any) string { return pyfmt.Str(v) }

// namesIn returns the names in a list or in comma-separated text. An entry of a list may contain
// commas.
func namesIn(v any) (out []string) {
	list, ok := v.([]any)
	switch {
	case v == nil:
		return nil
	case !ok:
		list = []any{v}
	}
	for _, e := range list {
		for p := range strings.SplitSeq(Text(e), ",") {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
	}
	return out
}
