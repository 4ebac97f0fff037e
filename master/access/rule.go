package access

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// rule allows functions on the minions of a target, or functions of the master.
type rule struct {
	text    string      // as it is written, for explanations
	to      target.Expr // nil: on all minions
	special string      // the word behind @ of a rule for runners and wheel functions; "": it is for minions
	funs    []funRule   // of a special rule none: all
	fault   error       // why it cannot be understood and allows nothing
}

// funRule allows the functions that match an expression.
type funRule struct {
	fun  target.Expr
	with []argRule // nil: with any arguments; else with those of one entry
}

// reader parses rules from the configuration or a publication.
type reader struct {
	groups map[string]any
	start  bool // expressions have to fit the beginning alone, as Salt's
}

// rules parses a list. An invalid rule allows nothing.
func (p reader) rules(list []any) []rule {
	out := make([]rule, len(list))
	for i, v := range list {
		out[i], out[i].fault = p.rule(v)
		out[i].text = textOf(v)
	}
	return out
}

// expression compiles an expression for functions or arguments, or returns nil if it is invalid.
func (p reader) expression(text string) target.Expr {
	if p.start {
		return target.Expression(text)
	}
	//mutant:peer-whole-names
	return target.WholeExpression(text)
}

// textOf returns a rule as text.
func textOf(v any) string {
	b, err := wire.Encode(v)
	if err == nil {
		b, err = wire.ToJSON(b)
	}
	if err != nil {
		return "?"
	}
	return string(b)
}

// expandRule replaces node groups in the target of a rule by their definition here, as nodes below
// have groups of their own or none. If that is not possible, it returns the rule unchanged with an
// error.
func expandRule(v any, groups map[string]any) (any, error) {
	tgt, val, ok := onlyPair(v)
	if !ok || strings.HasPrefix(tgt, "@") { // it is for all minions, or for none
		return v, nil
	}
	to, _, err := target.ExpandTarget(tgt, "compound", groups)
	if err != nil {
		return v, err
	}
	text, ok := to.(string)
	if !ok {
		return v, fmt.Errorf("target %q: a word of its node groups has a space, which a rule cannot match", tgt)
	}
	return map[string]any{text: val}, nil
}

// rule parses "function expression", {target: [functions]}, or the same for functions of the master:
// "@runner", {"@runner": [functions]}.
func (p reader) rule(v any) (rule, error) {
	if text, ok := v.(string); ok {
		if special, ok := strings.CutPrefix(text, "@"); ok {
			return rule{special: special}, nil
		}
		f, err := p.fun(text)
		return rule{funs: []funRule{f}}, err
	}
	tgt, val, ok := onlyPair(v)
	if !ok {
		return rule{}, errors.New("it is neither a function nor a mapping of one target to functions")
	}
	var r rule
	if r.special, ok = strings.CutPrefix(tgt, "@"); !ok {
		r.special = ""
		if strings.HasPrefix(tgt, "ldap(") {
			return r, fmt.Errorf("target %q: minions are not looked up by LDAP; name them", tgt)
		}
		to, err := target.Parse(tgt, "compound", target.Options{Nodegroups: p.groups})
		if err != nil {
			return r, fmt.Errorf("target %q: %w", tgt, err)
		}
		r.to = to
	}
	r.funs = []funRule{}
	for _, x := range listOf(val) {
		f, err := p.fun(x)
		if err != nil {
			return r, err
		}
		r.funs = append(r.funs, f)
	}
	return r, r.settingsFault()
}

// fun parses "function expression" or {function expression: [arguments]}.
func (p reader) fun(v any) (funRule, error) {
	text, ok := v.(string)
	var with any
	if !ok {
		if text, with, ok = onlyPair(v); !ok {
			return funRule{}, fmt.Errorf("%s is neither a function nor a mapping of one function to its arguments", textOf(v))
		}
	}
	f := funRule{fun: p.expression(text)}
	if f.fun == nil {
		return f, fmt.Errorf("function %q is not a regular expression", text)
	}
	if with == nil {
		return f, nil
	}
	f.with = []argRule{}
	for _, x := range listOf(with) {
		a, err := p.args(x)
		if err != nil {
			return f, fmt.Errorf("function %q: %w", text, err)
		}
		f.with = append(f.with, a)
	}
	return f, nil
}

// onlyPair returns the entry of a mapping that has exactly one.
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

// eachPair calls fn for each pair of a mapping from the configuration or a message.
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
				name = pyfmt.Str(k)
			}
			fn(name, x)
			return true
		})
	}
}

// listOf wraps a value that is not a list.
func listOf(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}
