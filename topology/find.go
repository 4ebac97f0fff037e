package topology

import (
	"slices"
	"strings"
)

// findMinion gives the place of an id among minions sorted by id.
func findMinion(minions []Minion, id string) (int, bool) {
	return slices.BinarySearchFunc(minions, id, func(m Minion, id string) int { return strings.Compare(m.ID, id) })
}

func findNode(nodes []Node, id string) (int, bool) {
	return slices.BinarySearchFunc(nodes, id, func(n Node, id string) int { return strings.Compare(n.ID, id) })
}

// At gives the node at a path as [Node.Walk] tells it; "" is the receiver.
func (n Node) At(path string) (Node, bool) {
	for path != "" {
		var id string
		id, path, _ = strings.Cut(path, "/")
		i, ok := findNode(n.Nodes, id)
		if !ok {
			return Node{}, false
		}
		n = n.Nodes[i]
	}
	return n, true
}

// Minion gives one of the node's own minions.
func (n Node) Minion(id string) (Minion, bool) {
	if i, ok := findMinion(n.Minions, id); ok {
		return n.Minions[i], true
	}
	return Minion{}, false
}

// Place is where an id was found.
type Place struct {
	Path  string // of the node that has it, "" for the receiver
	Node  bool   // it is a node below Path, else a minion of it
	State State  // Unknown when a node above it is down
}

// Find lists the places of a minion or node. Its cost grows with the number of
// nodes, hardly with that of minions.
func (n Node) Find(id string) (out []Place) {
	var look func(path string, n Node, cut bool)
	veil := func(s State, cut bool) State {
		if cut {
			return Unknown
		}
		return s
	}
	look = func(path string, n Node, cut bool) {
		if m, ok := n.Minion(id); ok {
			out = append(out, Place{Path: path, State: veil(m.State, cut)})
		}
		for _, c := range n.Nodes {
			if c.ID == id {
				out = append(out, Place{Path: path, Node: true, State: veil(c.State, cut)})
			}
			look(join(path, c.ID), c, cut || c.State == Down)
		}
	}
	look("", n, n.State == Down)
	return out
}

func join(path, id string) string {
	if path == "" {
		return id
	}
	return path + "/" + id
}
