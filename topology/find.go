package topology

import (
	"slices"
	"strings"
)

// findMinion returns the index of an id in minions sorted by id.
func findMinion(minions []Minion, id string) (int, bool) {
	return slices.BinarySearchFunc(minions, id, func(m Minion, id string) int { return strings.Compare(m.ID, id) })
}

func findNode(nodes []Node, id string) (int, bool) {
	return slices.BinarySearchFunc(nodes, id, func(n Node, id string) int { return strings.Compare(n.ID, id) })
}

// At returns the node at a path as passed by [Node.Walk]; "" is the receiver.
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

// Minion returns one of the node's own minions.
func (n Node) Minion(id string) (Minion, bool) {
	if i, ok := findMinion(n.Minions, id); ok {
		return n.Minions[i], true
	}
	return Minion{}, false
}

// Place is the location of a minion or node.
type Place struct {
	ID      string
	Path    string // path of its node, "" for the receiver
	Node    bool   // a child node of Path; otherwise a minion of it
	State   State  // Unknown when a node above it is down
	Version string // "" when not known
}

// Find returns the places of a minion or node below the receiver. Its cost grows with the number of
// nodes, and only logarithmically with minions.
func (n Node) Find(id string) []Place {
	return n.search(func(nodes []Node) []Node {
		if i, ok := findNode(nodes, id); ok {
			return nodes[i : i+1]
		}
		return nil
	}, func(minions []Minion) []Minion {
		if i, ok := findMinion(minions, id); ok {
			return minions[i : i+1]
		}
		return nil
	}, 0)
}

// Search returns at most `most` nodes and minions whose ids start with prefix, nodes first. Its
// cost is that of [Node.Find].
func (n Node) Search(prefix string, most int) []Place {
	return n.search(func(nodes []Node) []Node {
		first, _ := findNode(nodes, prefix)
		end := first
		for end < len(nodes) && strings.HasPrefix(nodes[end].ID, prefix) {
			end++
		}
		return nodes[first:end]
	}, func(minions []Minion) []Minion {
		first, _ := findMinion(minions, prefix)
		end := first
		for end < len(minions) && end-first < most && strings.HasPrefix(minions[end].ID, prefix) {
			end++
		}
		return minions[first:end]
	}, most)
}

// search collects the nodes, then the minions, selected by the functions at each node; most 0 means
// all.
func (n Node) search(nodes func([]Node) []Node, minions func([]Minion) []Minion, most int) (out []Place) {
	add := func(p Place, cut bool) {
		if cut {
			p.State = Unknown
		}
		if most == 0 || len(out) < most {
			out = append(out, p)
		}
	}
	var look func(path string, n Node, cut, leaves bool)
	look = func(path string, n Node, cut, leaves bool) {
		if leaves {
			for _, m := range minions(n.Minions) {
				add(Place{m.ID, path, false, m.State, m.Version}, cut)
			}
		} else {
			for _, c := range nodes(n.Nodes) {
				add(Place{c.ID, path, true, c.State, c.Version}, cut)
			}
		}
		for _, c := range n.Nodes {
			look(join(path, c.ID), c, cut || c.State == Down, leaves)
		}
	}
	look("", n, n.State == Down, false)
	look("", n, n.State == Down, true)
	return out
}

func join(path, id string) string {
	if path == "" {
		return id
	}
	return path + "/" + id
}
