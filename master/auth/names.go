package auth

import (
	"maps"
	"slices"
)

// Names returns the names of all login services, sorted.
func Names() []string { return slices.Sorted(maps.Keys(drivers)) }
