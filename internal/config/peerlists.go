package config

import (
	"fmt"
	"maps"
	"slices"
)

// peerLists removes entries of peer or peer_run that are not lists of functions. Salt ignores
// them too, so they allow nothing.
func (r *reader) peerLists(src source, option string, lists map[string]any) {
	for _, who := range slices.Sorted(maps.Keys(lists)) {
		if _, ok := lists[who].([]any); ok {
			continue
		}
		r.warn(src.places[option], Replaced, option, fmt.Sprintf("option %s: %s wants a list of functions, has %s; it allows nothing", option, who, describe(lists[who])))
		delete(lists, who)
	}
}
