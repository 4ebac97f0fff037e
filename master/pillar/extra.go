package pillar

import (
	"context"
	"slices"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// Extra is a registry of functions for templates. A function that compiles pillars itself is added
// after the compiler was created and before the first pillar.
type Extra struct{ added []Callables }

// Add adds functions. If names collide, the first one is used.
func (e *Extra) Add(f Callables) { e.added = append(e.added, f) }

// Has reports whether a function with this name exists.
func (e *Extra) Has(name string) bool {
	return slices.ContainsFunc(e.added, func(f Callables) bool { return f.Has(name) })
}

// Call calls a function.
func (e *Extra) Call(ctx context.Context, name string, args []any, kwargs *value.Map) (any, error) {
	for _, f := range e.added {
		if f.Has(name) {
			return f.Call(ctx, name, args, kwargs)
		}
	}
	return nil, render.ErrNoFunction
}
