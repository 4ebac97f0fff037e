package target

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// Subject is a minion as far as it is known.
type Subject interface {
	// ID is the minion id.
	ID() string
	// Grains is the map of grains as the wire decodes it, or nil when they
	// are not known.
	Grains() any
	// Pillar is the pillar as the wire decodes it, or nil when it is not
	// known.
	Pillar() any
}

// ID is a Subject of which only the name is known.
type ID string

// ID is the name.
func (i ID) ID() string { return string(i) }

// Grains is nil: not known.
func (ID) Grains() any { return nil }

// Pillar is nil: not known.
func (ID) Pillar() any { return nil }

// dict is what grains and pillar look like inside: a map of the wire or a
// plain one.
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

// getAny finds a key that is no text, as Python compares keys: 1, 1.0 and
// True are one key.
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

// anyKey tells whether fn is true of one of the keys.
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

// each walks the values.
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

// known says whether data is there at all.
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
