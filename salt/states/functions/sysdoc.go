package functions

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

func init() {
	doc := func(what, example string) string {
		return "\n" + what + "\n\nCLI Example:\n\n    salt '*' sys." + example + "\n"
	}
	modules.Register("sys",
		modules.Function{
			Name: "list_state_functions", VarArgs: true, VarKw: true, Run: sysStateFunctions,
			Doc: doc("List the state functions of this minion: all, those of the modules named, or those that match a glob.", "list_state_functions file 'pkg.*'"),
		},
		modules.Function{
			Name: "list_state_modules", VarArgs: true, Run: sysStateModules,
			Doc: doc("List the state modules of this minion, all or those that match a glob.", "list_state_modules 'mod*'"),
		},
		modules.Function{
			Name: "state_doc", VarArgs: true, Run: sysStateDoc,
			Doc: doc("Return the documentation of state functions by name, module or glob; of all when nothing is named.", "state_doc file.managed"),
		},
		modules.Function{
			Name: "state_argspec", Args: []modules.Arg{{Name: "module", Default: ""}}, Run: sysStateArgspec,
			Doc: doc("Return the arguments of state functions by the name of a function, a module or a glob, as sys.argspec.", "state_argspec pkg.installed"),
		},
	)
}

// usableNames returns the names of the states that this host can run now, sorted.
func usableNames() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return unusable(name) != "" })
}

// namedBy reports whether a name, a module or a glob matches a function.
func namedBy(want, name string) bool {
	if strings.ContainsAny(want, "*?[") {
		return target.Glob(want, name)
	}
	return name == want || strings.HasPrefix(name, strings.TrimSuffix(want, ".")+".")
}

// wanted returns the functions that a call names, or all.
func wanted(c *modules.Call) []string {
	return slices.DeleteFunc(usableNames(), func(name string) bool {
		return len(c.Rest()) > 0 && !slices.ContainsFunc(c.Rest(), func(want any) bool { return namedBy(pystr(want), name) })
	})
}

func sysStateFunctions(_ context.Context, c *modules.Call) (any, error) {
	return texted(wanted(c)), nil
}

func sysStateModules(_ context.Context, c *modules.Call) (any, error) {
	var out []string
	for _, name := range usableNames() {
		module, _, _ := strings.Cut(name, ".")
		if len(c.Rest()) == 0 || slices.ContainsFunc(c.Rest(), func(want any) bool { return target.Glob(pystr(want), module) }) {
			out = append(out, module)
		}
	}
	return texted(slices.Compact(out)), nil
}

func sysStateDoc(_ context.Context, c *modules.Call) (any, error) {
	out := value.NewMap()
	for _, name := range wanted(c) {
		fn, _ := Lookup(name)
		out.Set(name, fn.Doc)
	}
	return out, nil
}

func sysStateArgspec(_ context.Context, c *modules.Call) (any, error) {
	out := value.NewMap()
	for _, name := range usableNames() {
		if !namedBy(c.Str("module"), name) {
			continue
		}
		fn, _ := Lookup(name)
		var names, defaults []any
		for _, a := range fn.Args {
			names = append(names, a.Name)
			if !a.Required {
				defaults = append(defaults, a.Default)
			}
		}
		var kwargs any
		if fn.VarKw {
			kwargs = true
		}
		out.Set(name, value.NewMap("args", orNone(names), "defaults", orNone(defaults), "varargs", nil, "kwargs", kwargs))
	}
	return out, nil
}

// orNone returns a list, or nil if it is empty.
func orNone(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list
}
