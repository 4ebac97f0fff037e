package hostile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// Salt's minion, as far as it decides what runs: a model of what was observed of 3006.27.
// testdata/salt-binds.json and testdata/salt-targets.json hold it to what that answered.

// runsSalts is what Salt's minion runs of a publication.
func runsSalts(m *minion, p wire.Publication) (out []execution) {
	tgt, err := wire.Decode(p.Tgt)
	if err != nil || !saltMatches(m, tgt, p.TgtType, p.Delimiter) {
		return nil
	}
	fun, err := wire.Decode(p.Fun)
	if err != nil {
		return nil
	}
	arg, err := wire.Decode(p.Arg)
	args, isList := arg.([]any)
	if err != nil || !isList {
		return nil
	}
	names, several := fun.([]any)
	if !several {
		name, _ := fun.(string)
		return appendSalts(nil, name, args)
	}
	for i, name := range names {
		if i >= len(args) {
			break // the job ends with an error
		}
		name, _ := name.(string)
		own, ok := iterated(args[i])
		if !ok {
			continue
		}
		out = appendSalts(out, name, own)
	}
	return out
}

// iterated is what Python gives for each turn of a loop over a value.
func iterated(v any) (out []any, ok bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case string:
		for _, r := range v {
			out = append(out, string(r))
		}
		return out, true
	case *wire.Map:
		return v.Keys(), true
	}
	return nil, false
}

func appendSalts(out []execution, fun string, args []any) []execution {
	s, ok := saltFunctions[fun]
	if !ok {
		return out
	}
	e, err := saltBinds(s, args)
	if err != nil {
		return out
	}
	e.fun = fun
	return append(out, e)
}

// assignment is a text that Salt takes for a keyword argument.
var assignment = regexp.MustCompile(`^([\p{L}_][\p{L}\p{N}_.-]*)=([^=\n][^\n]*)?\n?$`)

// saltBinds returns the values of the parameters of a function, or why it is not called.
func saltBinds(s signature, args []any) (execution, error) {
	e := execution{given: map[string]any{}, free: map[string]any{}}
	var positional []any
	named := map[string]any{}
	takes := func(name string) bool {
		if s.varkw {
			return true
		}
		for _, p := range s.params {
			if p == name {
				return true
			}
		}
		return false
	}
	for _, a := range args {
		switch a := a.(type) {
		case *wire.Map:
			mark, _ := a.Get("__kwarg__")
			if mark != true {
				rest := a.Clone()
				rest.Delete("__kwarg__")
				positional = append(positional, rest)
				continue
			}
			for _, k := range a.Keys() {
				name, ok := k.(string)
				if name == "__kwarg__" {
					continue
				}
				if !ok || !takes(name) {
					return e, fmt.Errorf("keyword %v is not valid", k)
				}
				named[name], _ = a.Get(name)
			}
		case string:
			m := assignment.FindStringSubmatch(a)
			if m == nil {
				positional = append(positional, a)
				continue
			}
			if !takes(m[1]) {
				return e, fmt.Errorf("keyword %s is not valid", m[1])
			}
			named[m[1]] = pyfmt.YAMLWord(m[2])
		default:
			positional = append(positional, a)
		}
	}
	for i, v := range positional {
		switch {
		case i < len(s.params):
			e.given[s.params[i]] = v
		case s.varargs:
			e.rest = append(e.rest, v)
		default:
			return e, fmt.Errorf("%d positional arguments, %d are taken", len(positional), len(s.params))
		}
	}
	for name, v := range named {
		if _, twice := e.given[name]; twice {
			return e, fmt.Errorf("multiple values for %s", name)
		}
		switch {
		case isParam(s, name):
			e.given[name] = v
		case !strings.HasPrefix(name, "__pub_"): // Salt lays the publication over these
			e.free[name] = v
		}
	}
	for _, p := range s.params[:s.required] {
		if _, ok := e.given[p]; !ok {
			return e, fmt.Errorf("%s is missing", p)
		}
	}
	return e, nil
}

func isParam(s signature, name string) bool {
	for _, p := range s.params {
		if p == name {
			return true
		}
	}
	return false
}
