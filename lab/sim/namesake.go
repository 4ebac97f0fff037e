package sim

// namesake returns the id of a minion of the parent, for worlds in which nodes have such ids: in
// Salt's own layout the syndic and the minion of a host share one id and one key. Worlds with
// hostile peers (see Hostile) have no namesakes.
func (w *World) namesake(n *node) (id string, ok bool) {
	if !w.o.Namesakes || len(n.ups) == 0 || w.o.Faults.Hostile.any() || w.o.Faults.Turned > 0 {
		return "", false
	}
	above := n.ups[0].parent
	k := len(above.downs) - 1 // n itself is included
	if k >= len(above.minions) {
		return "", false
	}
	w.reach(markNamesake)
	return above.minionID(k), true
}
