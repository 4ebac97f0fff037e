package sim

// namesake gives a node the id of a minion of the node above it, in worlds that have such
// pairs: Salt's own layout gives the syndic and the minion of a host one id and one key. In
// worlds with peers that try (see Hostile) no node has one.
func (w *World) namesake(n *node) (id string, ok bool) {
	if !w.o.Namesakes || len(n.ups) == 0 || w.o.Faults.Hostile.any() || w.o.Faults.Turned > 0 {
		return "", false
	}
	above := n.ups[0].parent
	k := len(above.downs) - 1 // n itself is among them
	if k >= len(above.minions) {
		return "", false
	}
	w.reach(markNamesake)
	return above.minionID(k), true
}
