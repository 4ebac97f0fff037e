package states

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// VerifyHigh returns the faults in the form of high data.
func VerifyHigh(high *value.Map) []string {
	v := verifier{seen: map[any]*pointed{}}
	high.Range(func(id, body any) bool {
		if !hidden(id) {
			v.state(id, body)
		}
		return true
	})
	return v.errs
}

type verifier struct {
	errs []string
	seen map[any]*pointed
}

// pointed is the requisites of one ID: the other's name → its module.
type pointed struct {
	module string
	to     map[any]string
}

func (v *verifier) errorf(format string, a ...any) {
	v.errs = append(v.errs, fmt.Sprintf(format, a...))
}

func (v *verifier) state(id any, b any) {
	body, ok := b.(*value.Map)
	sls := body.String("__sls__")
	if _, text := id.(string); !text {
		v.errorf("ID '%s' in SLS '%s' is not formed as a string, but is a %s. It may need to be quoted.", str(id), sls, typeName(id))
	}
	if !ok {
		v.errorf("The type %s in %s is not formatted as a dictionary", str(id), str(b))
		return
	}
	body.Range(func(k, run any) bool {
		if hidden(k) {
			return true
		}
		module := str(k)
		if run == nil {
			v.errorf("ID '%s' in SLS '%s' contains a short declaration (%s) with a trailing colon. "+
				"When not passing any arguments to a state, the colon must be omitted.", str(id), sls, module)
			return true
		}
		args, ok := run.([]any)
		if !ok {
			v.errorf("State '%s' in SLS '%s' is not formed as a list", str(id), sls)
			return true
		}
		v.declaration(id, sls, module, args)
		return true
	})
}

func (v *verifier) declaration(id any, sls, module string, args []any) {
	var funs []string
	if _, fun, ok := strings.Cut(module, "."); ok {
		funs = append(funs, fun)
	}
	for _, a := range args {
		switch a := a.(type) {
		case string:
			funs = append(funs, a)
			if strings.Contains(strings.TrimSpace(a), " ") {
				v.errorf("The function \"%s\" in state \"%s\" in SLS \"%s\" has whitespace, a function with whitespace is not supported, "+
					"perhaps this is an argument that is missing a \":\"", a, str(id), sls)
			}
		case *value.Map:
			v.argument(id, sls, module, a)
		}
	}
	switch {
	case len(funs) == 0 && module != "require" && module != "watch":
		v.errorf("No function declared in state '%s' in SLS '%s'", module, sls)
	case len(funs) > 1:
		v.errorf("Too many functions declared in state '%s' in SLS '%s'. Please choose one of the following: %s",
			module, sls, strings.Join(funs, ", "))
	}
}

func (v *verifier) argument(id any, sls, module string, arg *value.Map) {
	name, val, _ := first(arg)
	list, isList := val.([]any)
	if name == "names" && !isList {
		v.errorf("The 'names' argument in state '%s' in SLS '%s' needs to be formed as a list", str(id), sls)
	}
	if !slices.Contains([]string{"require", "watch", "prereq", "onchanges"}, name) {
		arg.Range(func(k, val any) bool {
			v.shape(id, sls, str(k), val)
			return true
		})
		return
	}
	if !isList {
		v.errorf("The %s statement in state '%s' in SLS '%s' needs to be formed as a list", name, str(id), sls)
	} else {
		mine := &pointed{module: module, to: map[any]string{}}
		v.seen[id] = mine
		for _, req := range list {
			v.requisite(id, sls, module, mine, req)
		}
	}
	if arg.Len() != 1 {
		v.errorf("Multiple dictionaries defined in argument of state '%s' in SLS '%s'", str(id), sls)
	}
}

func (v *verifier) requisite(id any, sls, module string, mine *pointed, req any) {
	if s, ok := req.(string); ok {
		req = value.NewMap("id", s)
	}
	m, ok := req.(*value.Map)
	if !ok || m.Len() == 0 {
		v.errorf("Requisite declaration %s in SLS %s is not formed as a single key dictionary", str(req), sls)
		return
	}
	k := m.Keys()[0]
	kind := str(k)
	to, _ := m.GetKey(k)
	if before, _, dotted := strings.Cut(kind, "."); dotted {
		v.errorf("Invalid requisite type '%s' in state '%s', in SLS '%s'. Requisite types must not contain dots, did you mean '%s'?",
			kind, str(id), sls, before)
	}
	if !v.hashable(to) {
		return
	}
	mine.to[to] = kind
	other, ok := v.seen[to]
	if !ok {
		return
	}
	if back, ok := other.to[id]; ok && back == module && other.module == kind {
		v.errorf("A recursive requisite was found, SLS \"%s\" ID \"%s\" ID \"%s\"", sls, str(id), str(to))
	}
}
