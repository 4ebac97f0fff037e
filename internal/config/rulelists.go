package config

import (
	"fmt"
	"maps"
	"slices"
)

// ruleLists empties entries of publisher_acl, peer or peer_run that are not lists of functions.
// Salt starts with them too; they allow nothing.
func (r *reader) ruleLists(src source, option string, lists map[string]any) {
	//mutant:access-wrong-entry-stays
	for _, who := range slices.Sorted(maps.Keys(lists)) {
		if _, ok := lists[who].([]any); ok {
			continue
		}
		r.leaveOut(src.places[option], option, fmt.Sprintf("option %s: %s wants a list of functions, has %s; it allows nothing", option, who, describe(lists[who])))
		lists[who] = []any{} // not deleted: with it, publisher_acl still applies to users of sudo
	}
}

// nodegroups reports node groups that are neither a target nor a list of its words. It keeps
// them, so that a target with such a group is refused by name.
func (r *reader) nodegroups(src source, groups map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		switch groups[name].(type) {
		case string, []any:
		default:
			r.leaveOut(src.places["nodegroups"], "nodegroups",
				fmt.Sprintf("option nodegroups: group %s should be a compound target or a list of its words, not %s; targets with it are refused", name, describe(groups[name])))
		}
	}
}
