package functions

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/value"
)

// Registry holds the functions of one kind. After init it is read-only.
type Registry[E any] struct {
	kind   string
	byName map[string]Function[E]
}

// NewRegistry returns an empty Registry. kind names its functions: "runner", "wheel".
func NewRegistry[E any](kind string) *Registry[E] {
	return &Registry[E]{kind, map[string]Function[E]{}}
}

// Register adds functions. It panics if a declaration is invalid or a name is taken.
func (r *Registry[E]) Register(fs ...Function[E]) {
	for _, f := range fs {
		err := f.verify()
		if _, twice := r.byName[f.Name]; err == nil && twice {
			err = fmt.Errorf("%s is registered twice", f.Name)
		}
		if err != nil {
			panic(r.kind + ": " + err.Error())
		}
		r.byName[f.Name] = f
	}
}

// Lookup returns the function with this name.
func (r *Registry[E]) Lookup(name string) (Function[E], bool) {
	f, ok := r.byName[name]
	return f, ok
}

// Names returns the names of all functions, sorted.
func (r *Registry[E]) Names() []string { return slices.Sorted(maps.Keys(r.byName)) }

// Who returns the access rule of the function with this name. For an unknown function it is
// operators only.
func (r *Registry[E]) Who(name string) server.Who {
	if f := r.byName[name]; f.Who != 0 {
		return f.Who
	}
	return server.Operator
}

// Private reports whether the result of a function is for its caller alone.
func (r *Registry[E]) Private(name string) bool { return r.byName[name].Private }

// Reads reports whether a function is fast and changes nothing.
func (r *Registry[E]) Reads(name string) bool { return r.byName[name].Reads }

// Match returns the sorted names of the functions that a word of a command line matches: a
// function, the functions of a module, or all for "".
func (r *Registry[E]) Match(word string) []string {
	return slices.DeleteFunc(r.Names(), func(name string) bool {
		return word != "" && name != word && !strings.HasPrefix(name, word+".")
	})
}

// Docs returns the documentation of all functions by name.
func (r *Registry[E]) Docs() *value.Map {
	out := value.NewMap()
	for _, name := range r.Names() {
		out.Set(name, r.byName[name].Doc)
	}
	return out
}

// Run calls a function bound by [Registry.Bind], or returns the fault of the binding. A panic is
// returned as an error.
func (r *Registry[E]) Run(ctx context.Context, c *Call[E]) (v any, err error) {
	b := c.get()
	switch {
	case b.fault != nil:
		return nil, b.fault
	case b.registry != any(r):
		return nil, fmt.Errorf("%s is not a %s: it was bound as something else", b.fun, r.kind)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s %s failed: %v", r.kind, b.fun, p)
		}
	}()
	return r.byName[b.fun].Run(ctx, c)
}
