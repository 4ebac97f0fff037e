package states

import (
	"github.com/momtree/mom/value"
)

// mapOf returns v as a map with keys, nil for anything else.
func mapOf(v any) *value.Map {
	m, _ := v.(*value.Map)
	return m
}

// first returns the first key of a map and its value; ok is false if the map is empty or
// the key is not a string.
func first(m *value.Map) (key string, val any, ok bool) {
	m.Range(func(k, v any) bool {
		key, ok = k.(string)
		val = v
		return false
	})
	return key, val, ok
}
