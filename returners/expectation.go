package returners

import (
	"maps"
	"slices"
)

// Merge adds a later expectation of the same node to e and reports whether anything
// changed. The ids that later names take the state it gives them, all others stay. The
// state becomes that of later, unless it is "" or [StateAdopted]. The minions of the result
// are sorted.
func (e Expectation) Merge(later Expectation) (Expectation, bool) {
	asked := make(map[string]struct{}, len(e.Minions)+len(later.Minions))
	for _, id := range e.Minions {
		asked[id] = struct{}{}
	}
	missing := maps.Clone(e.Missing)
	changed := false
	for _, id := range later.Minions {
		if _, down := later.Missing[id]; down {
			continue
		}
		if _, ok := asked[id]; !ok {
			asked[id] = struct{}{}
			changed = true
		}
		if _, ok := missing[id]; ok {
			delete(missing, id)
			changed = true
		}
	}
	for id, reason := range later.Missing {
		if _, ok := asked[id]; ok {
			delete(asked, id)
			changed = true
		}
		if old, ok := missing[id]; !ok || old != reason {
			if missing == nil {
				missing = make(map[string]string, len(later.Missing))
			}
			missing[id] = reason
			changed = true
		}
	}
	if later.State != "" && later.State != StateAdopted && later.State != e.State {
		e.State = later.State
		changed = true
	}
	e.Minions = slices.Sorted(maps.Keys(asked))
	e.Missing = missing
	return e, changed
}
