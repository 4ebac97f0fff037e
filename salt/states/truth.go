package states

import (
	"github.com/momtree/mom/value"
)

// mapOf returns v as a map with keys, nil for anything else.
func mapOf(v any) *value.Map {
	m, _ := v.(*value.Map)
	return m
}

// first returns the first key and its value of a map, as text; ok is false for an empty
// map and for one whose first key is no text.
func first(m *value.Map) (key string, val any, ok bool) {
	m.Range(func(k, v any) bool {
		key, ok = k.(string)
		val = v
		return false
	})
	return key, val, ok
}
