package ownership

import (
	"slices"

	"github.com/momtree/mom/internal/wire"
)

const (
	// seenKey is the key of the seen minions in the file; no node has this id.
	seenKey = "\x00seen"
	// mostSeen bounds the minions per Python syndic.
	mostSeen = 1 << 18
)

// See records minions that a Python syndic named as its own or returned for. With all, they replace
// those recorded before. Nodes of mom report theirs.
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

// Seen returns the minions seen behind a Python syndic.
func (o *Claims) Seen(node string) []string {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.seen[node] // replaced, never modified
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

// seenWire returns the stored form. The caller holds mu.
func (o *Claims) seenWire() *wire.Map {
	out := wire.NewMap()
	for node, ids := range o.seen {
		out.Set(node, ids)
	}
	return out
}
