package topology

// withoutLeft gives the tree without the places that minions have left for a
// sibling of their node: they are not connected there, or their node is down, and
// they are up elsewhere. Their keys stay, so that they can come back. It costs no
// more than a look at each minion as long as nobody is away.
func (n Node) withoutLeft() Node {
	away := map[string]bool{} // and whether it is up elsewhere
	n.eachMinion(n.State == Down, func(m Minion, up bool) {
		if !up {
			away[m.ID] = false
		}
	})
	if len(away) == 0 {
		return n
	}
	moved := false
	n.eachMinion(n.State == Down, func(m Minion, up bool) {
		if _, was := away[m.ID]; was && up {
			away[m.ID], moved = true, true
		}
	})
	if !moved {
		return n
	}
	return n.withoutAway(n.State == Down, away)
}

// eachMinion visits all minions and tells whether they can be reached.
func (n Node) eachMinion(cut bool, visit func(m Minion, up bool)) {
	for _, m := range n.Minions {
		visit(m, m.State == Up && !cut)
	}
	for _, c := range n.Nodes {
		c.eachMinion(cut || c.State == Down, visit)
	}
}

func (n Node) withoutAway(cut bool, elsewhere map[string]bool) Node {
	gone := func(m Minion) bool { return elsewhere[m.ID] && (cut || m.State != Up) }
	some := false
	for _, m := range n.Minions {
		some = some || gone(m)
	}
	if some {
		kept := make([]Minion, 0, len(n.Minions)-1)
		for _, m := range n.Minions {
			if !gone(m) {
				kept = append(kept, m)
			}
		}
		n.Minions = kept
	}
	nodes := make([]Node, len(n.Nodes))
	for i, c := range n.Nodes {
		nodes[i] = c.withoutAway(cut || c.State == Down, elsewhere)
	}
	n.Nodes = nodes
	return n
}
