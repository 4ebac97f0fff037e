package topology

// withoutLeft removes the places of minions that moved to a sibling of their node: not up there, or
// behind a node that is down, and up elsewhere. Their keys remain, so they can return. It costs one
// pass over the minions while all are up.
func (n Node) withoutLeft() Node {
	away := map[string]bool{} // true if it is up elsewhere
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

// eachMinion visits all minions; up means that the minion is reachable.
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
