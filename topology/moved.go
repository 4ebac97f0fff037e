package topology

// withoutMoved removes the places of nodes that moved: down there, or behind a node that is down,
// and up elsewhere. It does not modify the subtrees of n.
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

// eachBelow visits the nodes below n; reached means that neither the node nor one above it is down.
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
