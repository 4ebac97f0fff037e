package ownership

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

// nodesBelow lists the nodes that a job goes to, and those that are spared it
// because they certainly have nobody for it.
func (p *Policy) nodesBelow(expr target.Expr, list bool, named []string) (asked []engine.Node, spared []string) {
	prune := p.o.Prune && !(list && p.unheardOf(named))
	for _, id := range p.nodes.List() {
		if !p.o.Keys.Accepted(id) || p.o.Absent(id) {
			continue
		}
		n := engine.Node{ID: id}
		if n.Live, n.Grace = p.o.Presence.Node(id); !p.o.Keeps() {
			n.Grace = 0
		}
		if below, ok := p.o.Tree.Node(id); ok && n.Live != engine.Untracked {
			if prune && n.Live == engine.Up && nobody(below, expr) {
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

// Conns are the connections of nodes right below.
func (p *Policy) Conns(ids []string) map[uint64]bool {
	out := map[uint64]bool{}
	for _, id := range ids {
		for _, c := range p.o.Presence.NodeConns(id) {
			out[c] = true
		}
	}
	return out
}

// unheardOf tells whether some of the ids are nowhere in the tree: a minion that
// was accepted a moment ago, and whose node has yet to report it.
func (p *Policy) unheardOf(ids []string) bool {
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

// nobody tells whether a branch certainly has no minion that the target means.
// It ends with the first one that may be meant, so a job for everybody costs one
// look per branch. Of a Python syndic nobody knows who is behind it.
func nobody(n topology.Node, expr target.Expr) bool {
	if n.Version == "" || n.Blind {
		return false // it has not reported what is below it, or cannot know
	}
	for _, min := range n.Minions {
		if expr.Certain(target.ID(min.ID)) != target.No {
			return false
		}
	}
	for _, c := range n.Nodes {
		if c.State == topology.Unknown || !nobody(c, expr) {
			return false
		}
	}
	return true
}

// KnownBehind gives the minions behind a node right below, as which n is known, that a target
// certainly means by their ids, and the path to each: by what the node has reported in this
// life, or, if it has not, by what it reported in an earlier one, which does not tell paths. A
// Python syndic reports nothing: who was seen behind it is known.
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

// known gives the minions of a branch that a target certainly means, with the path to
// each.
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
