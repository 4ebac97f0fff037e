package auth

import (
	"maps"
	"slices"
)

// Names lists the login services that there are.
func Names() []string { return slices.Sorted(maps.Keys(drivers)) }
