package sim

// where returns the path from n to the node where a minion is connected, other than the given path:
// what tree reports show to a master, but without delay.
func (n *node) where(id, other string) (path string, ok bool) {
	w := n.w
	if !w.o.moves() {
		return "", false
	}
	if w.numbers == nil {
		w.numbers = make(map[string]int, len(w.ids))
		for g, id := range w.ids {
			w.numbers[id] = g
		}
	}
	g, known := w.numbers[id]
	if !known {
		return "", false
	}
	m := w.minion(g)
	at := m.n
	if v := m.visit(); v != nil && v.here && v.known {
		at = v.host
	} else if !m.connected {
		return "", false
	}
	return at.pathFrom(n, other)
}

// pathFrom returns a path to n from a node above it, other than the given one.
func (n *node) pathFrom(above *node, other string) (path string, ok bool) {
	for _, l := range n.ups {
		if l.parent == above {
			if n.id != other {
				return n.id, true
			}
			continue
		}
		if head, ok := l.parent.pathFrom(above, ""); ok && head+"/"+n.id != other {
			return head + "/" + n.id, true
		}
	}
	return "", false
}
