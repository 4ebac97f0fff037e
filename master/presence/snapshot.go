package presence

import (
	"maps"
	"slices"
)

// Snapshot holds the minions present at the last call of Update.
type Snapshot struct{ last map[string]bool }

// Update returns the minions present now, and those that came and went since the last call, each
// sorted.
func (r *Snapshot) Update(peers []Peer) (now, came, gone []string) {
	next := make(map[string]bool, len(peers))
	now, came, gone = []string{}, []string{}, []string{}
	for _, p := range peers {
		if p.Up && p.Role != Syndic {
			next[p.ID] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(next)) {
		now = append(now, id)
		if !r.last[id] {
			came = append(came, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.last)) {
		if !next[id] {
			gone = append(gone, id)
		}
	}
	r.last = next
	return now, came, gone
}
