package failover

import (
	"maps"
	"slices"

	"github.com/momtree/mom/internal/sibling"
)

// Hear takes what a master above says about its nodes, of which this is one. changed
// tells that they are others, serve elsewhere, or begin or cease to drain; who of them
// is connected just now comes and goes.
func (h *registry) Hear(told sibling.Told, l sibling.List) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.lists {
		if h.lists[i].Parent != l.Parent {
			continue
		}
		changed = !slices.EqualFunc(h.lists[i].Nodes, l.Nodes, sameButUp)
		if string(h.above[i].Body) != string(told.Body) {
			h.above[i], h.lists[i], h.changed = told, l, true
		}
		return changed
	}
	if len(h.lists) >= maxLists {
		return false
	}
	h.above, h.lists, h.changed = append(h.above, told), append(h.lists, l), true
	return true
}

// unhear drops the list of one master above.
func (h *registry) unhear(parent string) (changed bool) {
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

// Siblings gives the lists of the masters above, as they were told and read.
func (h *registry) Siblings() ([]sibling.Told, []sibling.List) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]sibling.Told(nil), h.above...), append([]sibling.List(nil), h.lists...)
}

// Enter takes what a node right below says about itself, and tells whether that is new.
func (h *registry) Enter(n sibling.Node) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.below[n.ID] == n {
		return false
	}
	h.below[n.ID], h.changed, h.signed = n, true, sibling.Told{}
	return true
}

// Below gives the nodes right below as they told themselves, sorted.
func (h *registry) Below() []sibling.Node {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]sibling.Node, 0, len(h.below))
	for _, id := range slices.Sorted(maps.Keys(h.below)) {
		out = append(out, h.below[id])
	}
	return out
}

// signedBelow is the list of the nodes right below that are homes for others, signed anew
// only when it has changed.
func (h *registry) signedBelow(admitted, up func(id string) bool, sign func([]sibling.Node) (sibling.Told, error)) (sibling.Told, error) {
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
	told, err := sign(nodes)
	if err == nil {
		h.signed = told
	}
	return told, err
}

// IDs names the siblings of a node.
func IDs(own string, lists []sibling.List) []any {
	out := []any{}
	for _, n := range sibling.Order(own, lists, own) {
		out = append(out, n.ID)
	}
	return out
}
