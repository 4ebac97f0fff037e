package modules

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// registry maps full names to functions. It is written by init functions only,
// so reading it needs no lock.
var registry = map[string]Function{}

// Register adds functions to a module. It is called from init of the module's
// file and panics on a mistake in the declaration.
func Register(module string, fns ...Function) {
	for _, fn := range fns {
		full := module + "." + fn.Name
		switch _, dup := registry[full]; {
		case module == "" || fn.Name == "" || strings.Contains(full[len(module)+1:], "."):
			panic(fmt.Sprintf("modules: bad function name %q", full))
		case dup:
			panic("modules: function registered twice: " + full)
		case fn.Run == nil || strings.TrimSpace(fn.Doc) == "":
			panic("modules: function without code or documentation: " + full)
		}
		seen, optional := map[string]bool{}, false
		for _, a := range fn.Args {
			if a.Name == "" || seen[a.Name] || a.Required && optional {
				panic(fmt.Sprintf("modules: bad argument %q of %s", a.Name, full))
			}
			seen[a.Name] = true
			optional = optional || !a.Required
		}
		registry[full] = fn
	}
}

// alias registers a function once more under another name.
func alias(module, name, as string) {
	fn := registry[module+"."+name]
	fn.Name = as
	Register(module, fn)
}

// Lookup returns the function of a full name such as "test.ping".
func Lookup(name string) (Function, bool) {
	fn, ok := registry[name]
	return fn, ok
}

// Has reports whether the minion has a function and may use it. Programs of this host that
// are modules are not asked for their functions: a name of such a module is one of its own.
func Has(env Env, name string) bool {
	if disabled(env, name) {
		return false
	}
	if _, ok := Lookup(name); ok {
		return true
	}
	module, _, _ := strings.Cut(name, ".")
	return env != nil && env.External() != nil && slices.Contains(env.External().Names(), module)
}

// Functions returns the full names of all functions, sorted.
func Functions() []string { return slices.Sorted(maps.Keys(registry)) }

// Modules returns the names of all modules, sorted.
func Modules() []string {
	set := map[string]bool{}
	for name := range registry {
		module, _, _ := strings.Cut(name, ".")
		set[module] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// Available returns the names of the functions, those of external modules among
// them, that the minion's disable_modules and whitelist_modules leave, sorted.
func Available(ctx context.Context, env Env) []string {
	all := append(Functions(), externalNames(ctx, env)...)
	slices.Sort(all)
	return slices.DeleteFunc(all, func(name string) bool { return disabled(env, name) })
}

// disabled tells whether the configuration turns a function's module off.
func disabled(env Env, name string) bool {
	if env == nil {
		return false
	}
	module, _, _ := strings.Cut(name, ".")
	if slices.Contains(textList(env.Option("disable_modules")), module) {
		return true
	}
	allowed := textList(env.Option("whitelist_modules"))
	return len(allowed) > 0 && !slices.Contains(allowed, module)
}
