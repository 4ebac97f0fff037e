package ownership

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

const (
	// FormerSweep is how often [Policy.Sweep] is due: what a node has had is
	// remembered for one to two of these after it owes nothing.
	FormerSweep = 5 * time.Minute
	// mostFormer bounds the ids that are remembered of one node.
	mostFormer = 1 << 18
	// formerKey is where they are in the file: no node has this id.
	formerKey = ""
)

// former remembers, by node, which ids it had and has no more. A node that was away
// while its minions moved elsewhere comes back with returns of theirs that it has
// acknowledged: the minions will not send them again, so they are taken from it.
type former struct{ young, old map[string][]string } // sorted

func newFormer() former {
	return former{young: map[string][]string{}, old: map[string][]string{}}
}

// note takes in what a node has just lost.
func (f former) note(node string, ids []string) {
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" || strings.HasPrefix(id, nodeKey("")) })
	if len(ids) == 0 || len(f.young[node]) >= mostFormer {
		return
	}
	have := slices.Concat(f.young[node], ids)
	slices.Sort(have)
	f.young[node] = slices.Compact(have)
}

func (f former) has(node, id string) bool {
	_, young := slices.BinarySearch(f.young[node], id)
	_, old := slices.BinarySearch(f.old[node], id)
	return young || old
}

func (f former) forget(node string) {
	delete(f.young, node)
	delete(f.old, node)
}

// turn forgets what was old of a node and makes the rest old. It tells whether there
// was any.
func (f former) turn(node string) bool {
	was := len(f.young[node]) + len(f.old[node])
	delete(f.old, node)
	if young := f.young[node]; len(young) > 0 {
		f.old[node] = young
		delete(f.young, node)
	}
	return was > 0
}

// Had tells whether a node had an id until it was somewhere else, and may still have
// returns of it.
func (o *Claims) Had(node, id string) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.former.has(node, id)
}

// Sweep forgets, in two steps, what nodes have had that owe nothing any more.
func (o *Claims) Sweep(owes func(node string) bool) {
	o.mu.RLock()
	nodes := slices.Sorted(maps.Keys(o.former.young))
	nodes = slices.AppendSeq(nodes, maps.Keys(o.former.old))
	o.mu.RUnlock()
	slices.Sort(nodes)
	for _, node := range slices.Compact(nodes) {
		if owes(node) {
			continue
		}
		o.mu.Lock()
		o.changed = o.former.turn(node) || o.changed
		o.mu.Unlock()
	}
}

// Sweep forgets what nodes have had of which they can hand up no return any more.
func (p *Policy) Sweep() { p.claims.Sweep(p.owesReturns) }

// owesReturns tells whether a node right below may still have returns to hand up: it
// is away, or says so.
func (p *Policy) owesReturns(node string) bool {
	n, known := p.o.Tree.Node(node)
	return known && (n.State != topology.Up || n.Vitals.Started.IsZero() || n.Vitals.Pending > 0)
}

// wire gives all that is remembered, nil if that is nothing.
func (f former) wire() *wire.Map {
	if len(f.young)+len(f.old) == 0 {
		return nil
	}
	out := wire.NewMap()
	for _, node := range slices.Sorted(maps.Keys(f.old)) {
		out.Set(node, f.old[node])
	}
	for _, node := range slices.Sorted(maps.Keys(f.young)) {
		out.Set(node, slices.Concat(f.old[node], f.young[node]))
	}
	return out
}

// read takes in what wire gave an earlier life.
func (f former) read(d *wire.Map) {
	if d == nil {
		return
	}
	for _, k := range d.Keys() {
		if node, ok := k.(string); ok {
			f.note(node, wire.Texts(d.List(node)))
		}
	}
}
