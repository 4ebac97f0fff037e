package pillar

import (
	"reflect"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// merger merges pillars by pillar_source_merging_strategy.
type merger struct {
	strategy string // smart, recurse, aggregate, overwrite or none
	lists    bool   // pillar_merge_lists
}

// merge merges b into a copy of a. Neither is changed; the result may share values with them.
func (m merger) merge(a, b *value.Map) *value.Map {
	out := a.Clone()
	if out == nil {
		out = value.NewMap()
	}
	switch m.strategy {
	case "overwrite", "aggregate": // aggregate is overwrite without yamlex markers
		b.Range(func(key, v any) bool {
			out.Set(key, v)
			return true
		})
	case "none":
		update(out, b, false)
	default:
		update(out, b, m.lists)
	}
	return out
}

// update merges b into a. Nested maps are replaced, not changed.
func update(a, b *value.Map, lists bool) {
	b.Range(func(key, v any) bool {
		have, _ := a.GetKey(key)
		switch v := v.(type) {
		case *value.Map:
			if under, ok := have.(*value.Map); ok && under != nil {
				under = under.Clone()
				update(under, v, lists)
				a.Set(key, under)
				return true
			}
		case []any:
			if list, ok := have.([]any); ok && lists {
				a.Set(key, joined(list, v))
				return true
			}
		}
		a.Set(key, v)
		return true
	})
}

// joined returns a followed by the elements of b that a lacks.
func joined(a, b []any) []any {
	out := append(make([]any, 0, len(a)+len(b)), a...)
	words := map[any]bool{} // of scalar values
	var others []any
	note := func(v any) {
		if w, ok := word(v); ok {
			words[w] = true
		} else {
			others = append(others, v)
		}
	}
	for _, v := range a {
		note(v)
	}
	for _, v := range b {
		has := false
		if w, ok := word(v); ok {
			has = words[w]
		} else {
			for _, o := range others {
				if has = same(o, v); has {
					break
				}
			}
		}
		if !has {
			out = append(out, v)
			note(v)
		}
	}
	return out
}

// word returns the key by which scalar values are compared.
func word(v any) (any, bool) {
	switch v := v.(type) {
	case nil, string:
		return v, true
	}
	if f, ok := pyfmt.Number(v); ok {
		return f, true
	}
	return nil, false
}

// same compares two values as Python does.
func same(a, b any) bool {
	switch x := a.(type) {
	case *value.Map:
		y, ok := b.(*value.Map)
		if !ok || x.Len() != y.Len() {
			return false
		}
		equal := true
		x.Range(func(key, v any) bool {
			other, has := y.GetKey(key)
			equal = has && same(v, other)
			return equal
		})
		return equal
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	v, plain := word(a)
	w, other := word(b)
	if plain || other {
		return plain && other && v == w
	}
	return reflect.DeepEqual(a, b)
}
