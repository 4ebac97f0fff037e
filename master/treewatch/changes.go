package treewatch

import (
	"slices"
	"sort"
	"strings"

	"github.com/momtree/mom/topology"
)

// changes holds where the nodes below were last connected, and the known problems.
type changes struct {
	last     map[string]string // id → path
	problems map[string]bool
}

func newChanges() *changes {
	return &changes{last: map[string]string{}, problems: map[string]bool{}}
}

type move struct{ id, from, to string }

// moves returns the nodes that are connected elsewhere than before. A move below one child node is
// reported by that node.
func (w *changes) moves(n topology.Node) (out []move) {
	places := map[string][]string{}
	var walk func(path string, n topology.Node)
	walk = func(path string, n topology.Node) {
		for _, c := range n.Nodes {
			if c.State == topology.Down {
				continue
			}
			p := c.ID
			if path != "" {
				p = path + "/" + c.ID
			}
			places[c.ID] = append(places[c.ID], p)
			walk(p, c)
		}
	}
	walk("", n)
	for id, at := range places {
		was := w.last[id]
		if slices.Contains(at, was) {
			continue
		}
		w.last[id] = at[0]
		if was != "" && firstOf(was) != firstOf(at[0]) {
			out = append(out, move{id, was, at[0]})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].id < out[j].id })
	return out
}

// fresh returns the problems that were not in the last call and that this node reports. top says
// that it has no parent. A node that is down has an event of its own.
func (w *changes) fresh(ps []topology.Problem, top bool) (out []topology.Problem) {
	now := map[string]bool{}
	for _, p := range ps {
		if p.Kind == topology.NodeDown || !p.Here() && !(top && !strings.Contains(p.Path, "/")) {
			continue
		}
		key := string(p.Kind) + " " + p.Path
		if !now[key] && !w.problems[key] {
			out = append(out, p)
		}
		now[key] = true
	}
	w.problems = now
	return out
}

func firstOf(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// below removes the first id, this node's own, from a path.
func below(path string) string {
	_, rest, _ := strings.Cut(path, "/")
	return rest
}
