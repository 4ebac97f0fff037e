package jinja

import (
	"maps"
	"slices"
)

// Methods returns the names of all methods of values, sorted.
func Methods() []string {
	names := map[string]bool{}
	for _, table := range []map[string]methodFunc{strMethods, listMethods, tupleMethods, dictMethods, setMethods, bytesMethods, numberMethods} {
		for name := range table {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
