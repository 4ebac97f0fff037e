package jobevent

import (
	"iter"
	"slices"
)

// Pieces splits an expectation into pieces of at most n minions each, and yields at least one.
// Only the last has Asked and is not Partial: a master above that has received the first of
// several must not consider the job complete.
func (x Expectation) Pieces(n int) iter.Seq[Expectation] {
	return func(yield func(Expectation) bool) {
		counted := make(map[string]bool, len(x.Minions))
		for _, id := range x.Minions {
			counted[id] = true
		}
		ids := slices.Clip(x.Minions)
		for _, id := range sorted(x.Unreachable) {
			if !counted[id] {
				ids = append(ids, id)
			}
		}
		for more := true; more; {
			piece := ids[:min(max(n, 1), len(ids))]
			ids = ids[len(piece):]
			part := x
			part.Minions, part.Unreachable = nil, map[string]string{}
			for _, id := range piece {
				if counted[id] {
					part.Minions = append(part.Minions, id)
				}
				if why, gone := x.Unreachable[id]; gone {
					part.Unreachable[id] = why
				}
			}
			if more = len(ids) > 0; more {
				part.Asked, part.Partial = nil, true
			}
			if !yield(part) {
				return
			}
		}
	}
}

// Pieces splits a report into pieces of at most n minions, or n nodes, each. It yields nothing
// for a report that names no minion or node.
func (m Missing) Pieces(n int) iter.Seq[Missing] {
	return func(yield func(Missing) bool) {
		for ids := range slices.Chunk(sorted(m.Minions), max(n, 1)) {
			if !yield(Missing{JID: m.JID, From: m.From, Minions: some(m.Minions, ids)}) {
				return
			}
		}
		for paths := range slices.Chunk(sorted(m.Nodes), max(n, 1)) {
			if !yield(Missing{JID: m.JID, From: m.From, Nodes: some(m.Nodes, paths)}) {
				return
			}
		}
	}
}

// some returns the entries of m with those keys.
func some[V any](m map[string]V, keys []string) map[string]V {
	out := make(map[string]V, len(keys))
	for _, k := range keys {
		out[k] = m[k]
	}
	return out
}
