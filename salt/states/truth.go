package states

import (
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Truth is Python's own truth of a value.
func Truth(v any) bool { return pyfmt.Truth(v) }

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
