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

// Register adds functions to a module. It is called from init of the module's
// file and panics on a mistake in the declaration.
func Register(module string, fns ...Function) { registered.Register(module, fns...) }

// alias registers a function once more under another name.
func alias(module, name, as string) {
	fn, _ := registered.Lookup(module + "." + name)
	fn.Name = as
	Register(module, fn)
}

// Lookup returns the function of a full name such as "test.ping".
func Lookup(name string) (Function, bool) { return registered.Lookup(name) }

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
func Functions() []string { return registered.Names() }

// Modules returns the names of all modules, sorted.
func Modules() []string { return registered.Modules() }

// Own reports whether the minion has a module of this name of its own.
func Own(module string) bool { return registered.HasModule(module) }

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
