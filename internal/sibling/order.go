package sibling

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Order returns the nodes to which id may move, best first. Nodes that are up come first;
// within each group rendezvous hashing decides. So the minions of a dead node spread evenly
// over its siblings, and each finds the same one again. Draining nodes, and those named in
// without, are left out.
func Order(id string, lists []List, without ...string) []Node {
	type scored struct {
		Node
		score uint64
	}
	var out []scored
	seen := map[string]bool{}
	for _, w := range without {
		seen[w] = true
	}
	for _, l := range lists {
		for _, n := range l.Nodes {
			if seen[n.ID] || n.Draining {
				continue
			}
			seen[n.ID] = true
			sum := sha256.Sum256([]byte(id + "\x00" + n.ID))
			out = append(out, scored{n, binary.BigEndian.Uint64(sum[:])})
		}
	}
	slices.SortFunc(out, func(a, b scored) int {
		if a.Up != b.Up {
			if a.Up {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.score, a.score)
	})
	nodes := make([]Node, len(out))
	for i, s := range out {
		nodes[i] = s.Node
	}
	return nodes
}
