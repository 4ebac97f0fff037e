package sim

// where tells at which node below n a minion is connected, other than the given one:
// what the reports of the tree tell a master, without their delay.
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

// pathFrom gives a path to n from a node above it, other than the given one.
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
