package ownership

import (
	"slices"

	"github.com/momtree/mom/internal/wire"
)

const (
	// seenKey is where those who were seen behind Python syndics are in the file: no node has
	// this id.
	seenKey = "\x00seen"
	// mostSeen bounds the minions that are remembered of one of them.
	mostSeen = 1 << 18
)

// See notes minions that a Python syndic has named as its own, or returned for. all: they are
// all that it has, and others are forgotten. What a node of ours has, it reports.
func (o *Claims) See(node string, all bool, ids ...string) {
	if len(ids) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	have := o.seen[node]
	if !all && !slices.ContainsFunc(ids, func(id string) bool { _, known := slices.BinarySearch(have, id); return !known }) {
		return
	}
	next := slices.Clone(ids)
	if !all {
		next = slices.Concat(have, ids)
	}
	slices.Sort(next)
	next = slices.Compact(next)
	if len(next) > mostSeen || slices.Equal(have, next) {
		return
	}
	o.seen[node], o.changed = next, true
}

// Seen lists the minions that were seen behind a Python syndic.
func (o *Claims) Seen(node string) []string {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.seen[node] // replaced, never altered
}

func (o *Claims) readSeen(d *wire.Map) {
	if d == nil {
		return
	}
	for _, k := range d.Keys() {
		if node, ok := k.(string); ok {
			ids := wire.Texts(d.List(node))
			slices.Sort(ids)
			o.seen[node] = slices.Compact(ids)
		}
	}
}

// seenWire is what is kept of them. The caller holds mu.
func (o *Claims) seenWire() *wire.Map {
	out := wire.NewMap()
	for node, ids := range o.seen {
		out.Set(node, ids)
	}
	return out
}
