package modules

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/value"
)

func init() {
	Register("sys",
		Function{Name: "list_functions", VarArgs: true, Run: sysListFunctions, Doc: `
List the functions of this minion: all, those of the modules named, or those
that match a glob.

CLI Example:

    salt '*' sys.list_functions
    salt '*' sys.list_functions test 'cmd.run*'
`},
		Function{Name: "list_modules", VarArgs: true, Run: sysListModules, Doc: `
List the modules of this minion, all or those that match a glob.

CLI Example:

    salt '*' sys.list_modules 's*'
`},
		Function{Name: "doc", VarArgs: true, Run: sysDoc, Doc: `
Return the documentation of functions by name, module or glob; of all when
nothing is named.

CLI Example:

    salt '*' sys.doc test.ping
    salt '*' sys.doc 'cmd.*'
`},
		Function{Name: "argspec", Args: []Arg{{Name: "module", Default: ""}}, Run: sysArgspec, Doc: `
Return the arguments of functions by name, module or glob: their names, the
defaults of the last ones, and whether more positional arguments and keywords
are taken.

CLI Example:

    salt '*' sys.argspec cmd.run
`},
		Function{Name: "list_returners", VarArgs: true, Run: sysListReturners, Doc: `
List the returners of this minion, all or those that match a glob.

CLI Example:

    salt '*' sys.list_returners
`},
		Function{Name: "returner_doc", VarArgs: true, Run: sysReturnerDoc, Doc: `
Return the documentation of returners, of all or of those that match a glob.

CLI Example:

    salt '*' sys.returner_doc mysql
`},
	)
}

// selectFunctions returns the available functions that match a name, module or glob.
func selectFunctions(ctx context.Context, env Env, want string) []string {
	var out []string
	for _, name := range Available(ctx, env) {
		if name == want || strings.HasPrefix(name, strings.TrimSuffix(want, ".")+".") ||
			strings.ContainsAny(want, "*?[") && target.Glob(want, name) {
			out = append(out, name)
		}
	}
	return out
}

// selectAll returns the functions that match any of several names, sorted and without
// duplicates. No name means all.
func selectAll(ctx context.Context, env Env, names []any) []string {
	if len(names) == 0 {
		return Available(ctx, env)
	}
	set := map[string]bool{}
	for _, n := range names {
		for _, f := range selectFunctions(ctx, env, PyStr(n)) {
			set[f] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func sysListFunctions(ctx context.Context, c *Call) (any, error) {
	return wire.AnyList(selectAll(ctx, c.Env, c.Rest())), nil
}

// globbed reports whether a name matches one of the globs of a call; no glob matches all.
func globbed(c *Call, name string) bool {
	return len(c.Rest()) == 0 || slices.ContainsFunc(c.Rest(), func(want any) bool { return target.Glob(PyStr(want), name) })
}

func sysListModules(ctx context.Context, c *Call) (any, error) {
	set := map[string]bool{}
	for _, f := range Available(ctx, c.Env) {
		if module, _, _ := strings.Cut(f, "."); globbed(c, module) {
			set[module] = true
		}
	}
	return wire.AnyList(slices.Sorted(maps.Keys(set))), nil
}

func sysListReturners(_ context.Context, c *Call) (any, error) {
	return wire.AnyList(slices.DeleteFunc(returners.Names(), func(name string) bool { return !globbed(c, name) })), nil
}

func sysReturnerDoc(_ context.Context, c *Call) (any, error) {
	docs := value.NewMap()
	for _, name := range returners.Names() {
		if d, _ := returners.Lookup(name); globbed(c, name) {
			docs.Set(name, d.Doc)
		}
	}
	return docs, nil
}

func sysDoc(ctx context.Context, c *Call) (any, error) {
	docs := value.NewMap()
	for _, name := range selectAll(ctx, c.Env, c.Rest()) {
		fn, _, err := find(ctx, c.Env, name)
		if err != nil {
			return nil, err
		}
		docs.Set(name, fn.Doc)
	}
	return docs, nil
}

func sysArgspec(ctx context.Context, c *Call) (any, error) {
	specs := value.NewMap()
	for _, name := range selectFunctions(ctx, c.Env, c.Str("module")) {
		fn, _, err := find(ctx, c.Env, name)
		if err != nil {
			return nil, err
		}
		specs.Set(name, argspec(fn))
	}
	return specs, nil
}

// argspec describes a function as Python's inspect does: None stands for absent parts.
func argspec(fn Function) *value.Map {
	var names, defaults []any
	for _, a := range fn.Args {
		names = append(names, a.Name)
		if !a.Required {
			if none, ok := a.Default.(unset); ok {
				defaults = append(defaults, none.String())
				continue
			}
			defaults = append(defaults, a.Default)
		}
	}
	return value.NewMap("args", listOrNone(names), "defaults", listOrNone(defaults),
		"varargs", trueOrNone(fn.VarArgs), "kwargs", trueOrNone(fn.VarKw))
}

func listOrNone(l []any) any {
	if len(l) == 0 {
		return nil
	}
	return l
}

func trueOrNone(b bool) any {
	if !b {
		return nil
	}
	return true
}
