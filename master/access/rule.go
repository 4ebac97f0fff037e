package access

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/python"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// rule allows functions on the minions of a target.
type rule struct {
	to   target.Expr // nil: on all
	funs []funRule
}

// funRule allows the functions that an expression fits.
type funRule struct {
	fun  target.Expr
	with []argRule // nil: with any arguments; else with those of one entry
}

// argRule says what arguments have to look like. A nil expression takes anything.
type argRule struct {
	args   []target.Expr
	kwargs map[string]target.Expr
}

type ruleSet []rule

// parseRules reads rules as the configuration or a publication holds them. What
// cannot be understood allows nothing.
func parseRules(list []any, groups map[string]any) ruleSet {
	var out ruleSet
	for _, v := range list {
		if r, err := parseRule(v, groups); err == nil {
			out = append(out, r)
		}
	}
	return out
}

func checkRule(v any, groups map[string]any) error {
	_, err := parseRule(v, groups)
	return err
}

// expandRule replaces the node groups in the target of a rule by what they mean here, so
// that the rule means the same at nodes below, which have groups of their own or none.
// A rule that cannot be written without them stays as it is, with an error.
func expandRule(v any, groups map[string]any) (any, error) {
	tgt, val, ok := onlyPair(v)
	if !ok { // it is for all minions
		return v, nil
	}
	to, _, err := target.ExpandTarget(tgt, "compound", groups)
	if err != nil {
		return v, err
	}
	text, ok := to.(string)
	if !ok {
		return v, fmt.Errorf("target %q: a word of its node groups has a space, which no target of a rule can have", tgt)
	}
	return map[string]any{text: val}, nil
}

// parseRule reads "function expression" or {target: [rule of functions]}.
func parseRule(v any, groups map[string]any) (rule, error) {
	if text, ok := v.(string); ok {
		f, err := parseFun(text)
		return rule{funs: []funRule{f}}, err
	}
	tgt, val, ok := onlyPair(v)
	if !ok {
		return rule{}, errors.New("it is neither a function nor a mapping of one target to functions")
	}
	to, err := target.Parse(tgt, "compound", target.Options{Nodegroups: groups})
	if err != nil {
		return rule{}, fmt.Errorf("target %q: %w", tgt, err)
	}
	r := rule{to: to}
	for _, x := range listOf(val) {
		f, err := parseFun(x)
		if err != nil {
			return rule{}, err
		}
		r.funs = append(r.funs, f)
	}
	return r, nil
}

// parseFun reads "function expression" or {function expression: [arguments]}.
func parseFun(v any) (funRule, error) {
	text, ok := v.(string)
	var with any
	if !ok {
		if text, with, ok = onlyPair(v); !ok {
			return funRule{}, fmt.Errorf("%s is neither a function nor a mapping of one function to its arguments", python.Repr(v))
		}
	}
	f := funRule{fun: target.Expression(text)}
	if f.fun == nil {
		return f, fmt.Errorf("function %q is no regular expression", text)
	}
	if with == nil {
		return f, nil
	}
	f.with = []argRule{}
	for _, x := range listOf(with) {
		a, err := parseArgs(x)
		if err != nil {
			return f, fmt.Errorf("function %q: %w", text, err)
		}
		f.with = append(f.with, a)
	}
	return f, nil
}

// parseArgs reads {args: [expression], kwargs: {name: expression}}.
func parseArgs(v any) (argRule, error) {
	a := argRule{kwargs: map[string]target.Expr{}}
	if !isMapping(v) {
		return a, fmt.Errorf("arguments are a mapping of args and kwargs, not %s", python.Repr(v))
	}
	read := func(v any) (target.Expr, error) {
		if v == nil {
			return nil, nil
		}
		text, ok := v.(string)
		if !ok {
			text = python.Str(v)
		}
		if re := target.Expression(text); re != nil {
			return re, nil
		}
		return nil, fmt.Errorf("%q is no regular expression", text)
	}
	var faults []error
	eachPair(v, func(what string, val any) {
		switch what {
		case "args":
			for _, x := range listOf(val) {
				re, err := read(x)
				a.args, faults = append(a.args, re), append(faults, err)
			}
		case "kwargs":
			eachPair(val, func(name string, x any) {
				re, err := read(x)
				a.kwargs[name], faults = re, append(faults, err)
			})
		default:
			faults = append(faults, fmt.Errorf("%q is neither args nor kwargs", what))
		}
	})
	return a, errors.Join(faults...)
}

// permit tells whether a rule allows a call; covers tells whether a target means
// all minions that the call is for.
func (rs ruleSet) permit(c Call, covers func(target.Expr) bool) bool {
	return slices.ContainsFunc(rs, func(r rule) bool {
		fits := slices.ContainsFunc(r.funs, func(f funRule) bool {
			return f.fun.Match(target.ID(c.Fun)) && (f.with == nil || slices.ContainsFunc(f.with, c.like))
		})
		return fits && (r.to == nil || covers(r.to))
	})
}

// onlyPair gives the one entry of a mapping that has one.
func onlyPair(v any) (key string, val any, ok bool) {
	n := 0
	eachPair(v, func(k string, x any) { key, val, n = k, x, n+1 })
	return key, val, n == 1
}

func isMapping(v any) bool {
	switch v.(type) {
	case map[string]any, *wire.Map:
		return true
	}
	return false
}

// eachPair walks a mapping of the configuration or of a message.
func eachPair(v any, fn func(key string, val any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			fn(k, v[k])
		}
	case *wire.Map:
		v.Range(func(k, x any) bool {
			name, ok := k.(string)
			if !ok {
				name = python.Str(k)
			}
			fn(name, x)
			return true
		})
	}
}

// listOf makes a list of one value that is none.
func listOf(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}
