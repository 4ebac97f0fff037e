package topology

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// ErrStale means that a delta does not start at this tree's revision: the whole tree is needed.
var ErrStale = errors.New("delta starts at another revision")

// maxMinions bounds the minions of one node, so that deltas cannot grow it without limit.
const maxMinions = 1 << 21

// apply returns n with a delta applied. It does not modify n: it copies the nodes on the path to
// each change and, of those, only the changed lists.
func (n Node) apply(d Delta) (Node, error) {
	for _, p := range d.Parts {
		var path []string
		if p.Path != "" {
			path = strings.Split(p.Path, "/")
		}
		var err error
		if n, err = n.patch(path, p); err != nil {
			return Node{}, fmt.Errorf("delta of node %s at %q: %w", n.ID, p.Path, err)
		}
	}
	return n, nil
}

func (n Node) patch(path []string, p Part) (Node, error) {
	if len(path) > 0 {
		i, ok := findNode(n.Nodes, path[0])
		if !ok {
			return n, ErrStale
		}
		c, err := n.Nodes[i].patch(path[1:], p)
		if err != nil {
			return n, err
		}
		n.Nodes = append([]Node(nil), n.Nodes...)
		n.Nodes[i] = c
		return n, nil
	}
	if h := p.Head; h != nil {
		n.Role, n.Version, n.State, n.Since, n.Life, n.Key, n.Blind, n.Was, n.Problems = h.Role, h.Version, h.State, h.Since, h.Life, h.Key, h.Blind, h.Was, h.Problems
	}
	if p.Vitals != nil {
		n.Vitals = *p.Vitals
	}
	if len(p.Minions)+len(p.Gone) > 0 {
		n.Minions = patchMinions(n.Minions, p.Minions, p.Gone)
	}
	if len(n.Minions) > maxMinions {
		return n, fmt.Errorf("more than %d minions", maxMinions)
	}
	if len(p.Nodes)+len(p.Left) > 0 {
		n.Nodes = patchNodes(n.Nodes, p.Nodes, p.Left)
	}
	return n, nil
}

func patchMinions(old, altered []Minion, gone []string) []Minion {
	if len(old)+len(gone) == 0 && ascending(altered) {
		return altered // first report of a node
	}
	out := make([]Minion, len(old), len(old)+len(altered))
	copy(out, old)
	var fresh []Minion
	seen := map[string]int{} // index in fresh
	for _, m := range altered {
		if i, ok := findMinion(old, m.ID); ok {
			out[i] = m
		} else if i, ok := seen[m.ID]; ok {
			fresh[i] = m
		} else {
			seen[m.ID] = len(fresh)
			fresh = append(fresh, m)
		}
	}
	if len(gone) > 0 {
		drop := make(map[string]bool, len(gone))
		for _, id := range gone {
			drop[id] = true
		}
		kept := out[:0]
		for _, m := range out {
			if !drop[m.ID] {
				kept = append(kept, m)
			}
		}
		out = kept
	}
	if len(fresh) > 0 {
		out = append(out, fresh...)
		sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	}
	return out
}

// ascending reports whether minions are sorted by id without duplicates.
func ascending(ms []Minion) bool {
	for i := 1; i < len(ms); i++ {
		if ms[i-1].ID >= ms[i].ID {
			return false
		}
	}
	return true
}

func patchNodes(old, altered []Node, left []string) []Node {
	byID := make(map[string]Node, len(old)+len(altered))
	for _, c := range old {
		byID[c.ID] = c
	}
	for _, c := range altered {
		byID[c.ID] = c
	}
	for _, id := range left {
		delete(byID, id)
	}
	out := make([]Node, 0, len(byID))
	for _, c := range byID {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}
