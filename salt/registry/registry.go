package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Arg is one named argument of a function.
type Arg struct {
	Name string
	// Default is the value if the caller gives none. It is ignored for a required argument.
	Default any
	// Required makes a call without the argument an error.
	Required bool
}

// Entry is the part of a function that a registry checks.
type Entry struct {
	// Name is the part after the dot: "ping" of test.ping.
	Name string
	// Doc is the documentation that sys.doc prints.
	Doc string
	// Args are the named arguments in order; required ones come first.
	Args []Arg
	// Code reports whether the function can be run.
	Code bool
}

// Registry maps full names to functions. Only init functions write to it, so reading needs
// no lock.
type Registry[F any] struct {
	kind  string
	entry func(F) Entry
	all   map[string]F
}

// New returns a registry. kind names its functions in panics.
func New[F any](kind string, entry func(F) Entry) *Registry[F] {
	return &Registry[F]{kind, entry, map[string]F{}}
}

// Register adds functions to a module. It panics on a fault in a declaration.
func (r *Registry[F]) Register(module string, fns ...F) {
	for _, fn := range fns {
		e := r.entry(fn)
		full := module + "." + e.Name
		switch _, dup := r.all[full]; {
		case module == "" || e.Name == "" || strings.Contains(e.Name, "."):
			panic(fmt.Sprintf("%s: bad function name %q", r.kind, full))
		case dup:
			panic(r.kind + ": function registered twice: " + full)
		case !e.Code || strings.TrimSpace(e.Doc) == "":
			panic(r.kind + ": function without code or documentation: " + full)
		}
		seen, optional := map[string]bool{}, false
		for _, a := range e.Args {
			if a.Name == "" || seen[a.Name] || a.Required && optional {
				panic(fmt.Sprintf("%s: bad argument %q of %s", r.kind, a.Name, full))
			}
			seen[a.Name] = true
			optional = optional || !a.Required
		}
		r.all[full] = fn
	}
}

// Remove removes a function. It is for tests.
func (r *Registry[F]) Remove(full string) { delete(r.all, full) }

// Lookup returns the function of a full name such as "test.ping".
func (r *Registry[F]) Lookup(full string) (F, bool) {
	fn, ok := r.all[full]
	return fn, ok
}

// Names returns the full names of all functions, sorted.
func (r *Registry[F]) Names() []string { return slices.Sorted(maps.Keys(r.all)) }

// Modules returns the names of all modules, sorted.
func (r *Registry[F]) Modules() []string {
	set := map[string]bool{}
	for full := range r.all {
		module, _, _ := strings.Cut(full, ".")
		set[module] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// HasModule reports whether a module has functions.
func (r *Registry[F]) HasModule(module string) bool {
	for full := range r.all {
		if name, _, _ := strings.Cut(full, "."); name == module {
			return true
		}
	}
	return false
}
