package modules

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/registry"
)

var registered = registry.New("modules", func(f Function) registry.Entry {
	return registry.Entry{Name: f.Name, Doc: f.Doc, Args: f.Args, Code: f.Run != nil}
})

// Register adds functions to a module. Call it from init. It panics on a fault in the
// declaration.
func Register(module string, fns ...Function) { registered.Register(module, fns...) }

// alias registers a function under another name.
func alias(module, name, as string) {
	fn, _ := registered.Lookup(module + "." + name)
	fn.Name = as
	Register(module, fn)
}

// Lookup returns the function of a full name such as "test.ping".
func Lookup(name string) (Function, bool) { return registered.Lookup(name) }

// Has reports whether the minion has a function and allows it. It does not ask external
// modules for their functions: any function name of such a module counts.
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
func Functions() []string { return registered.Names() }

// Modules returns the names of all modules, sorted.
func Modules() []string { return registered.Modules() }

// Own reports whether a module is built in.
func Own(module string) bool { return registered.HasModule(module) }

// Available returns the names of the allowed functions, including those of external
// modules, sorted. It applies disable_modules and whitelist_modules.
func Available(ctx context.Context, env Env) []string {
	all := append(Functions(), externalNames(ctx, env)...)
	slices.Sort(all)
	return slices.DeleteFunc(all, func(name string) bool { return disabled(env, name) })
}

// disabled reports whether the configuration disables the module of a function.
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
