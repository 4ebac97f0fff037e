package target

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// Subject is a minion and its known data.
type Subject interface {
	// ID returns the minion id.
	ID() string
	// Grains returns the map of grains as decoded by package wire, or nil if they are unknown.
	Grains() any
	// Pillar returns the pillar as decoded by package wire, or nil if it is unknown.
	Pillar() any
}

// ID is a Subject whose id alone is known.
type ID string

// ID returns the id.
func (i ID) ID() string { return string(i) }

// Grains returns nil: unknown.
func (ID) Grains() any { return nil }

// Pillar returns nil: unknown.
func (ID) Pillar() any { return nil }

// dict is a map inside grains and pillar: a wire.Map or a plain map.
type dict struct {
	wire  *wire.Map
	plain map[string]any
}

func asDict(v any) (dict, bool) {
	switch v := v.(type) {
	case *wire.Map:
		return dict{wire: v}, v != nil
	case map[string]any:
		return dict{plain: v}, v != nil
	}
	return dict{}, false
}

func (d dict) len() int {
	if d.wire != nil {
		return d.wire.Len()
	}
	return len(d.plain)
}

func (d dict) get(key string) (any, bool) {
	if d.wire != nil {
		return d.wire.Get(key)
	}
	v, ok := d.plain[key]
	return v, ok
}

// getAny looks up a key that is not a string. Keys compare as in Python: 1, 1.0 and True are
// one key.
func (d dict) getAny(key any) (val any, ok bool) {
	if d.wire == nil {
		return nil, false
	}
	d.wire.Range(func(k, v any) bool {
		if samekey(k, key) {
			val, ok = v, true
		}
		return !ok
	})
	return val, ok
}

func samekey(a, b any) bool {
	x, okx := pyfmt.Number(a)
	y, oky := pyfmt.Number(b)
	if okx || oky {
		return okx && oky && x == y
	}
	return a == nil && b == nil
}

// anyKey reports whether fn returns true for one of the keys.
func (d dict) anyKey(fn func(key any) bool) (found bool) {
	if d.wire != nil {
		d.wire.Range(func(k, _ any) bool { found = fn(k); return !found })
		return found
	}
	for k := range d.plain {
		if fn(k) {
			return true
		}
	}
	return false
}

// each calls fn for the values until it returns false.
func (d dict) each(fn func(v any) bool) {
	if d.wire != nil {
		d.wire.Range(func(_, v any) bool { return fn(v) })
		return
	}
	for _, v := range d.plain {
		if !fn(v) {
			return
		}
	}
}

// known reports whether data is present.
func known(v any) bool {
	if v == nil {
		return false
	}
	if m, ok := v.(*wire.Map); ok {
		return m != nil
	}
	if m, ok := v.(map[string]any); ok {
		return m != nil
	}
	return true
}
