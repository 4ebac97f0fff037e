package config

import (
	"fmt"
	"maps"
	"slices"
)

// peerLists takes out of peer or peer_run what is not a list of functions. Salt passes over such
// an entry too, so the minions that it means may do nothing.
func (r *reader) peerLists(src source, option string, lists map[string]any) {
	for _, who := range slices.Sorted(maps.Keys(lists)) {
		if _, ok := lists[who].([]any); ok {
			continue
		}
		r.warn(src.places[option], Replaced, option, fmt.Sprintf("option %s: %s wants a list of functions, has %s; it allows nothing", option, who, describe(lists[who])))
		delete(lists, who)
	}
}
