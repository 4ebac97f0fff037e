package config

import (
	"github.com/momtree/mom/internal/wire"
)

// orderedOptions are those where the order of keys means something: the environments of
// pillar_roots are merged in it, and so are the files that ext_pillar's stack names.
var orderedOptions = map[string]bool{"ext_pillar": true, "pillar_roots": true}

// Ordered gives an option with its keys as the files have them, as values of package
// value; nil where they do not set it, or where it is not known to need that.
func (s *source) Ordered(name string) any { return s.ordered[name] }

// copied is a value that shares no list and no map with v.
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

// joinOrdered is join for values in order.
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
