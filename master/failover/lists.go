package failover

import (
	"maps"
	"slices"

	"github.com/momtree/mom/internal/sibling"
)

// SetList stores the list of a parent. changed reports whether its nodes, their addresses or
// their draining changed; which of them are connected does not count.
func (h *registry) SetList(signed sibling.Signed, l sibling.List) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.lists {
		if h.lists[i].Parent != l.Parent {
			continue
		}
		changed = !slices.EqualFunc(h.lists[i].Nodes, l.Nodes, sameButUp)
		if string(h.above[i].Body) != string(signed.Body) {
			h.above[i], h.lists[i], h.changed = signed, l, true
		}
		return changed
	}
	if len(h.lists) >= maxLists {
		return false
	}
	h.above, h.lists, h.changed = append(h.above, signed), append(h.lists, l), true
	return true
}

// dropList drops the list of a parent.
func (h *registry) dropList(parent string) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.lists {
		if h.lists[i].Parent == parent {
			h.above, h.lists = slices.Delete(h.above, i, i+1), slices.Delete(h.lists, i, i+1)
			h.changed = true
			return true
		}
	}
	return false
}

func sameButUp(a, b sibling.Node) bool {
	a.Up = b.Up
	return a == b
}

// Siblings returns the lists of the parents, signed and decoded.
func (h *registry) Siblings() ([]sibling.Signed, []sibling.List) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]sibling.Signed(nil), h.above...), append([]sibling.List(nil), h.lists...)
}

// SetBelow stores what a child says about itself, and reports whether it changed.
func (h *registry) SetBelow(n sibling.Node) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.below[n.ID] == n {
		return false
	}
	h.below[n.ID], h.changed, h.signed = n, true, sibling.Signed{}
	return true
}

// Below returns the child nodes, sorted by id.
func (h *registry) Below() []sibling.Node {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]sibling.Node, 0, len(h.below))
	for _, id := range slices.Sorted(maps.Keys(h.below)) {
		out = append(out, h.below[id])
	}
	return out
}

// signedBelow returns the list of the admitted children. It signs again only after a change.
func (h *registry) signedBelow(admitted, up func(id string) bool, sign func([]sibling.Node) (sibling.Signed, error)) (sibling.Signed, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes := make([]sibling.Node, 0, len(h.below))
	for _, id := range slices.Sorted(maps.Keys(h.below)) {
		n := h.below[id]
		if !admitted(id) || n.Check() != nil {
			continue
		}
		n.Up = up(id)
		nodes = append(nodes, n)
	}
	if have, err := h.signed.Open(); err == nil && slices.Equal(have.Nodes, nodes) {
		return h.signed, nil
	}
	signed, err := sign(nodes)
	if err == nil {
		h.signed = signed
	}
	return signed, err
}

// IDs returns the ids of the siblings of a node.
func IDs(own string, lists []sibling.List) []any {
	out := []any{}
	for _, n := range sibling.Order(own, lists, own) {
		out = append(out, n.ID)
	}
	return out
}
