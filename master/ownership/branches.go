package ownership

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

// nodesBelow returns the nodes that get a job, and those that certainly have no matching minion.
func (p *Policy) nodesBelow(expr target.Expr, list bool, named []string) (asked []engine.Node, spared []string) {
	prune := p.o.Prune && !(list && p.unreported(named))
	for _, id := range p.nodes.List() {
		if !p.o.Keys.Accepted(id) || p.o.Absent(id) {
			continue
		}
		n := engine.Node{ID: id}
		if n.Live, n.Grace = p.o.Presence.Node(id); !p.o.Keeps {
			n.Grace = 0
		}
		if below, ok := p.o.Tree.Node(id); ok && n.Live != engine.Untracked {
			if prune && n.Live == engine.Up && noneMatch(below, expr) {
				spared = append(spared, id)
				continue
			}
			n.Known = func() map[string]string { return p.KnownBehind(below, id, expr) }
		} else if n.Live == engine.Untracked {
			n.Known = func() map[string]string { return p.KnownBehind(topology.Node{}, id, expr) }
		}
		asked = append(asked, n)
	}
	return asked, spared
}

// Conns returns the connections of child nodes.
func (p *Policy) Conns(ids []string) map[uint64]bool {
	out := map[uint64]bool{}
	for _, id := range ids {
		for _, c := range p.o.NodeConns(id) {
			out[c] = true
		}
	}
	return out
}

// unreported reports whether some ids are not in the tree, such as a minion accepted a moment ago
// that its node has not reported yet.
func (p *Policy) unreported(ids []string) bool {
	if len(ids) == 0 {
		return false
	}
	want := make(map[string]bool, len(ids))
	for _, id := range ids {
		want[id] = true
	}
	for _, id := range p.nodes.List() {
		below, _ := p.o.Tree.Node(id)
		below.Walk(func(_ string, c topology.Node) {
			for _, min := range c.Minions {
				delete(want, min.ID)
			}
		})
		if len(want) == 0 {
			return false
		}
	}
	return true
}

// noneMatch reports whether a branch certainly has no minion that matches. It stops at the first one
// that may match. What is below a Python syndic is not known.
func noneMatch(n topology.Node, expr target.Expr) bool {
	if n.Version == "" || n.Blind {
		return false // it has not reported what is below it, or cannot
	}
	for _, min := range n.Minions {
		if expr.Certain(target.ID(min.ID)) != target.No {
			return false
		}
	}
	for _, c := range n.Nodes {
		if c.State == topology.Unknown || !noneMatch(c, expr) {
			return false
		}
	}
	return true
}

// KnownBehind returns the minions behind a child node that match by id, with the path to each:
// what the node has reported to this process, or else to the previous one, which has no paths.
// For a Python syndic, which reports nothing, it returns the matching minions seen behind it.
func (p *Policy) KnownBehind(n topology.Node, id string, expr target.Expr) map[string]string {
	out := known(n, id, expr)
	if n.Version != "" {
		return out
	}
	for _, min := range slices.Concat(p.claims.Of(id), p.claims.Seen(id)) {
		if _, reported := out[min]; !reported && expr.Certain(target.ID(min)) == target.Yes {
			out[min] = id
		}
	}
	return out
}

// known returns the minions of a branch that match by id, with the path to each.
func known(n topology.Node, id string, expr target.Expr) map[string]string {
	out := map[string]string{}
	n.Walk(func(path string, c topology.Node) {
		for _, min := range c.Minions {
			if expr.Certain(target.ID(min.ID)) == target.Yes {
				out[min.ID] = strings.TrimSuffix(id+"/"+path, "/")
			}
		}
	})
	return out
}
