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
	// FormerSweep is how often to call [Policy.Sweep]. Previous claims are dropped after one
	// to two such intervals in which the node has no returns pending.
	FormerSweep = 5 * time.Minute
	// mostFormer bounds the previous ids per node.
	mostFormer = 1 << 18
	// formerKey is their key in the file; no node has this id.
	formerKey = ""
)

// former records, by node, ids that it had. A node that was away while its minions moved comes
// back with returns that it has acknowledged. The minions will not send them again, so they are
// accepted from it.
type former struct{ young, old map[string][]string } // sorted

func newFormer() former {
	return former{young: map[string][]string{}, old: map[string][]string{}}
}

// note adds ids that a node just lost.
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

// age drops the old ids of a node and makes the young ones old. It reports whether there were any.
func (f former) age(node string) bool {
	was := len(f.young[node]) + len(f.old[node])
	delete(f.old, node)
	if young := f.young[node]; len(young) > 0 {
		f.old[node] = young
		delete(f.young, node)
	}
	return was > 0
}

// noteVisits notes, for other nodes, the ids of a report that say to have been there: this master may not have
// heard of it. Whoever speaks for an id may say where it was. o.mu is held.
func (o *Claims) noteVisits(n topology.Node) {
	n.Walk(func(_ string, at topology.Node) {
		for _, w := range at.Was {
			var ids []string
			for _, node := range w.Nodes {
				other, ok := o.headOf(node)
				//mutant:stays-elsewhere-only
				if !ok || other == n.ID {
					continue
				}
				if ids == nil {
					ids = idsOf(at, w.ID)
				}
				unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return o.former.has(other, id) })
				//mutant:stays-by-child-node
				o.former.note(other, unknown)
				o.changed = o.changed || len(unknown) > 0
			}
		}
	})
}

// headOf returns the child node that is, or is above, a node. o.mu is held.
func (o *Claims) headOf(node string) (string, bool) {
	if _, child := o.ids[node]; child {
		return node, true
	}
	c, ok := o.first[nodeKey(node)]
	return c.node, ok
}

// idsOf returns the minions that are id or below a child id of a node.
func idsOf(n topology.Node, id string) []string {
	ids := []string{}
	if _, ok := n.Minion(id); ok {
		ids = append(ids, id)
	}
	if i := slices.IndexFunc(n.Nodes, func(c topology.Node) bool { return c.ID == id }); i >= 0 {
		n.Nodes[i].Walk(func(_ string, c topology.Node) {
			for _, m := range c.Minions {
				ids = append(ids, m.ID)
			}
		})
	}
	return ids
}

// Had reports whether a node had an id before it moved, and may still have returns of it.
func (o *Claims) Had(node, id string) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.former.has(node, id)
}

// Sweep ages the previous claims of nodes without pending returns.
func (o *Claims) Sweep(pending func(node string) bool) {
	o.mu.RLock()
	nodes := slices.Sorted(maps.Keys(o.former.young))
	nodes = slices.AppendSeq(nodes, maps.Keys(o.former.old))
	o.mu.RUnlock()
	slices.Sort(nodes)
	for _, node := range slices.Compact(nodes) {
		if pending(node) {
			continue
		}
		o.mu.Lock()
		o.changed = o.former.age(node) || o.changed
		o.mu.Unlock()
	}
}

// Sweep drops previous claims of nodes that have no more returns to send.
func (p *Policy) Sweep() { p.claims.Sweep(p.mayHavePending) }

// mayHavePending reports whether a child node may have pending returns: it is away, or reports some.
func (p *Policy) mayHavePending(node string) bool {
	n, known := p.o.Tree.Node(node)
	return known && (n.State != topology.Up || n.Vitals.Started.IsZero() || n.Vitals.Pending > 0)
}

// wire returns the stored form, or nil if there is nothing to store.
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

// read loads the stored form.
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
