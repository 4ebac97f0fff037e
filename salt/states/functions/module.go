package functions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	spec := states.Spec{Args: args(onlyName), VarKw: true}
	Register("module",
		Function{Name: "run", Spec: spec, Run: moduleRun, Doc: `
Calls execution functions. Each argument with a dot in its name is a function,
with the list of its arguments as value. The older form has the function as name
and its arguments as those of the state (m_name for an argument name, args and
kwargs for others).

    restart:
      module.run:
        - service.restart:
          - name: nginx
`},
		Function{Name: "wait", Spec: spec, Run: func(_ context.Context, c *Call) (*states.Result, error) { return good(c.Name(), ""), nil }, Doc: `
As module.run, when a watched state has changed.
`},
		Function{Name: "mod_watch", Spec: spec, Run: moduleRun, Doc: "\nCalls the functions of a state whose watch has fired.\n"},
	)
}

func moduleRun(ctx context.Context, c *Call) (*states.Result, error) {
	var funs []string
	legacy := false
	c.Kwargs.Range(func(k, _ any) bool {
		name, _ := k.(string)
		switch {
		case name == "sfun" || name == "__reqs__":
		case strings.Contains(name, "."):
			funs = append(funs, name)
		default:
			legacy = true
		}
		return true
	})
	if legacy || len(funs) == 0 {
		return moduleLegacy(ctx, c)
	}
	return moduleNew(ctx, c, funs)
}

// moduleNew calls the functions that the arguments name.
func moduleNew(ctx context.Context, c *Call, funs []string) (*states.Result, error) {
	names := []any{}
	c.Kwargs.Range(func(k, _ any) bool {
		names = append(names, k)
		return true
	})
	res := would("", "", nil)
	res.Extra = value.NewMap("name", names)
	var missing, tests []string
	for _, fun := range funs {
		base, _, _ := strings.Cut(fun, ":")
		if _, ok := modules.Lookup(base); !ok {
			missing = append(missing, base)
		} else if c.Test {
			tests = append(tests, base)
		}
	}
	if len(missing)+len(tests) > 0 {
		var parts []string
		if len(missing) > 0 {
			parts = append(parts, fmt.Sprintf("Unavailable function%s: %s.", pyPlural(missing), strings.Join(missing, ", ")))
			res.Result = false
		}
		if len(tests) > 0 {
			parts = append(parts, fmt.Sprintf("Function%s %s to be executed.", pyPlural(tests), strings.Join(tests, ", ")))
		}
		res.Comment = strings.Join(parts, " ")
		return res, nil
	}
	var failures, done []string
	for _, fun := range funs {
		base, _, _ := strings.Cut(fun, ":")
		args, kwargs := callArgs(get(c.Kwargs, fun))
		//mutant:shell-module-run
		v, err := c.Module(ctx, base, args, kwargs)
		var invalid *modules.InvocationError
		var wrong *modules.ArgumentError
		switch m, _ := v.(*value.Map); {
		case errors.As(err, &invalid) || errors.As(err, &wrong):
			failures = append(failures, fmt.Sprintf("'%s' failed: %s", fun, err))
		case err != nil:
			return nil, err
		case !callResult(v, res.Changes.Map("ret")):
			if m != nil {
				comment := "(error message N/A)"
				if v, ok := m.Get("comment"); ok {
					comment = pystr(v)
				}
				failures = append(failures, fmt.Sprintf("'%s' failed: %s", fun, comment))
			}
			if v == false {
				failures = append(failures, fmt.Sprintf("'%s': False", fun))
			}
		default:
			text := pystr(v)
			if m != nil {
				text = "Success"
				if v, ok := m.Get("comment"); ok {
					text = pystr(v)
				}
			}
			done = append(done, fun+": "+text)
			res.Changes.Set(fun, v)
		}
	}
	res.Comment = strings.Join(append(failures, done...), ", ")
	res.Result = len(failures) == 0
	return res, nil
}

// pyPlural returns what Salt prints in place of a plural s: "True" for several.
func pyPlural(names []string) string {
	if len(names) > 1 {
		return "True"
	}
	return ""
}

// callArgs returns the arguments of a function in the new form: maps in the list are
// keywords.
func callArgs(v any) (args []any, kwargs *value.Map) {
	kwargs = value.NewMap()
	list, ok := v.([]any)
	if !ok {
		if v == nil {
			return nil, kwargs
		}
		list = []any{v}
	}
	for _, a := range list {
		if m, ok := a.(*value.Map); ok {
			m.Range(func(k, v any) bool {
				if s, ok := k.(string); ok {
					kwargs.Set(s, v)
				}
				return true
			})
			continue
		}
		args = append(args, a)
	}
	return args, kwargs
}

// callResult reports whether a function's return value means success.
func callResult(v any, changes *value.Map) bool {
	if m, ok := v.(*value.Map); ok && m.Has("retcode") && m.Int("retcode") != 0 {
		return false
	}
	if b, ok := v.(bool); ok {
		return b
	}
	if b, ok := get(changes, "result").(bool); ok {
		return b
	}
	if changes.Has("retcode") && changes.Int("retcode") != 0 {
		return false
	}
	return noFailure(changes)
}

// noFailure reports whether a map has no false result, at any level.
func noFailure(m *value.Map) bool {
	good := true
	m.Range(func(k, v any) bool {
		if inner, ok := v.(*value.Map); ok {
			good = noFailure(inner)
		} else if k == "result" && v == false {
			good = false
		}
		return good
	})
	return good
}

// moduleLegacy calls the function in the argument name.
func moduleLegacy(ctx context.Context, c *Call) (*states.Result, error) {
	name := c.Name()
	fn, ok := modules.Lookup(name)
	if !ok {
		return bad(name, "Module function %s is not available", name), nil
	}
	if c.Test {
		return would(name, fmt.Sprintf("Module function %s is set to execute", name), nil), nil
	}
	given := c.Kwargs.Clone()
	take := func(key string) (any, bool) {
		v, ok := given.Get(key)
		given.Delete(key)
		return v, ok
	}
	args := []any{}
	missing := ""
	for _, a := range fn.Args {
		key := a.Name
		switch key {
		case "name", "fun", "names", "state", "saltenv":
			key = "m_" + key
		}
		v, ok := take(key)
		if !ok && key != a.Name && !a.Required {
			v, ok = take(a.Name)
		}
		switch {
		case ok:
			args = append(args, v)
		case a.Required:
			missing += " " + key
		default:
			args = append(args, a.Default)
		}
	}
	if missing != "" {
		return bad(name, "The following arguments are missing:%s", missing), nil
	}
	if fn.VarArgs {
		if v, ok := take("args"); ok {
			list, isList := v.([]any)
			if !isList {
				return bad(name, "'args' must be a list."), nil
			}
			args = append(args, list...)
		}
	}
	kwargs := value.NewMap()
	if fn.VarKw {
		if v, ok := take("kwargs"); ok {
			m, isMap := v.(*value.Map)
			if !isMap {
				return bad(name, "'kwargs' must be a dict."), nil
			}
			kwargs = m
		}
	}
	v, err := c.Module(ctx, name, args, kwargs)
	if err != nil {
		return bad(name, "Module function %s threw an exception. Exception: %v", name, err), ctx.Err()
	}
	res := good(name, fmt.Sprintf("Module function %s executed", name))
	res.Changes.Set("ret", v)
	inner, isMap := v.(*value.Map)
	if !isMap {
		inner = nil
	}
	res.Result = callResult(v, inner)
	return res, nil
}
