package topology

// withoutMoved gives the tree without the places that nodes have left: they are
// down there, or behind a node that is down, and up elsewhere. The subtrees of n
// are not altered.
func (n Node) withoutMoved() Node {
	up, lost := map[string]bool{}, false
	n.eachBelow(false, func(c Node, reached bool) {
		up[c.ID] = up[c.ID] || reached
		lost = lost || !reached
	})
	if !lost {
		return n
	}
	return n.without(false, func(c Node, reached bool) bool { return !reached && up[c.ID] })
}

// eachBelow visits the nodes below n and tells whether they can be reached:
// neither they nor a node above them is down.
func (n Node) eachBelow(cut bool, visit func(c Node, reached bool)) {
	for _, c := range n.Nodes {
		cut := cut || c.State == Down
		visit(c, !cut)
		c.eachBelow(cut, visit)
	}
}

func (n Node) without(cut bool, gone func(c Node, reached bool) bool) Node {
	nodes := make([]Node, 0, len(n.Nodes))
	for _, c := range n.Nodes {
		cut := cut || c.State == Down
		if !gone(c, !cut) {
			nodes = append(nodes, c.without(cut, gone))
		}
	}
	n.Nodes = nodes
	return n
}
