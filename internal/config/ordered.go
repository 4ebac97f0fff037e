package config

import (
	"github.com/momtree/mom/internal/wire"
)

// orderedOptions are the options whose order of keys matters: the environments of pillar_roots
// are merged in that order, and so are the files in ext_pillar's stack.
var orderedOptions = map[string]bool{"ext_pillar": true, "pillar_roots": true}

// Ordered returns an option with its keys in the order of the files, as values of package
// value. It returns nil if the files do not set it, or if the order does not matter.
func (s *source) Ordered(name string) any { return s.ordered[name] }

// copied returns a deep copy of v.
func copied(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = copied(e)
		}
		return out
	case *wire.Map:
		out := wire.NewMap()
		v.Range(func(key, val any) bool {
			out.Set(pyText(key), copied(val))
			return true
		})
		return out
	}
	return v
}

// joinOrdered is join for ordered values.
func joinOrdered(old, val any) any {
	switch v := val.(type) {
	case []any:
		o, ok := old.([]any)
		if !ok {
			return val
		}
		return joinLists(o, v)
	case *wire.Map:
		o, ok := old.(*wire.Map)
		if !ok {
			return val
		}
		out := o.Clone()
		v.Range(func(key, e any) bool {
			if have, ok := out.GetKey(key); ok {
				e = joinOrdered(have, e)
			}
			out.Set(key, e)
			return true
		})
		return out
	}
	return val
}
