package access

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/functions"
)

// arguments are those of a call: a [Call] for functions of minions, a [functions.Bound] for functions
// of the master.
type arguments interface {
	At(i int) (functions.Judged, bool)
	Named(name string) (functions.Judged, bool)
	Fault() error
}

// argRule lists what arguments have to match.
type argRule struct {
	args   []pattern
	kwargs map[string]pattern
}

// pattern is what one argument has to match; without an expression it has to be present.
type pattern struct {
	text string
	expr target.Expr
}

func (p pattern) match(text string) bool { return p.expr == nil || p.expr.Match(target.ID(text)) }

// mismatch returns which argument does not match a rule, or "".
func (a argRule) mismatch(c arguments) string {
	if len(a.args) == 0 && len(a.kwargs) == 0 {
		return ""
	}
	if err := c.Fault(); err != nil {
		return err.Error()
	}
	for i, p := range a.args {
		v, ok := c.At(i)
		where := fmt.Sprintf("argument %d", i+1)
		if v.Name != "" {
			where += " (" + v.Name + ")"
		}
		if why := p.lacks(where, v, ok); why != "" {
			return why
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.kwargs)) {
		v, ok := c.Named(name)
		if why := a.kwargs[name].lacks("keyword "+name, v, ok); why != "" {
			return why
		}
	}
	return ""
}

// lacks returns why an argument does not match, or "".
func (p pattern) lacks(where string, v functions.Judged, given bool) string {
	if !given {
		return where + " is missing"
	}
	for _, text := range v.Texts {
		if !p.match(text) {
			return fmt.Sprintf("%s is %q, which %s does not match", where, text, p.text)
		}
	}
	return ""
}

// args parses {args: [expression], kwargs: {name: expression}}.
func (p reader) args(v any) (argRule, error) {
	a := argRule{kwargs: map[string]pattern{}}
	if !isMapping(v) {
		return a, fmt.Errorf("arguments are a mapping of args and kwargs, not %s", textOf(v))
	}
	var faults []error
	eachPair(v, func(what string, val any) {
		switch what {
		case "args":
			for _, x := range listOf(val) {
				e, err := p.pattern(x)
				a.args, faults = append(a.args, e), append(faults, err)
			}
		case "kwargs":
			if val != nil && !isMapping(val) {
				faults = append(faults, fmt.Errorf("kwargs are a mapping of names, not %s", textOf(val)))
			}
			eachPair(val, func(name string, x any) {
				e, err := p.pattern(x)
				a.kwargs[name], faults = e, append(faults, err)
			})
		default:
			faults = append(faults, fmt.Errorf("%q is neither args nor kwargs", what))
		}
	})
	return a, errors.Join(faults...)
}

func (p reader) pattern(v any) (pattern, error) {
	if v == nil {
		return pattern{text: "anything"}, nil
	}
	text := functions.Text(v)
	if e := p.expression(text); e != nil {
		return pattern{text, e}, nil
	}
	return pattern{}, fmt.Errorf("%q is not a regular expression", text)
}

// fits reports whether a rule covers the function of a call, and why it does not match its arguments,
// or "".
func (r *rule) fits(name string, c arguments) (fun bool, why string) {
	var all []string
	for _, f := range r.funs {
		if !f.fun.Match(target.ID(name)) {
			continue
		}
		if fun = true; f.with == nil {
			return true, ""
		}
		for _, a := range f.with {
			if why = a.mismatch(c); why == "" {
				return true, ""
			}
			if !slices.Contains(all, why) {
				all = append(all, why)
			}
		}
	}
	return fun, strings.Join(all, "; ")
}
