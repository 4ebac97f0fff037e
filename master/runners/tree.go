package runners

import (
	"sort"

	"github.com/momtree/mom/topology"
)

// leaf is a minion in the tree of this master.
type leaf struct {
	id, path string
	state    topology.State
	version  string
}

func (l leaf) ID() string  { return l.id }
func (l leaf) Grains() any { return nil }
func (l leaf) Pillar() any { return nil }

// leaves lists the minions of a tree by id. A minion behind a node that is down is down. A minion
// of several nodes is up if it is up at one of them. opaque reports whether a node does not reveal
// the tree below it.
func leaves(top topology.Node) (out []leaf, opaque bool) {
	byID := map[string]leaf{}
	var walk func(path string, n topology.Node, state topology.State)
	walk = func(path string, n topology.Node, state topology.State) {
		for _, m := range n.Minions {
			l := leaf{m.ID, path, m.State, m.Version}
			if state == topology.Down {
				l.state = topology.Down
			}
			if old, ok := byID[m.ID]; !ok || rank(l.state) > rank(old.state) {
				byID[m.ID] = l
			}
		}
		for _, c := range n.Nodes {
			below := c.State
			if state == topology.Down {
				below = topology.Down
			}
			opaque = opaque || below == topology.Unknown
			p := c.ID
			if path != "" {
				p = path + "/" + c.ID
			}
			walk(p, c, below)
		}
	}
	walk("", top, topology.Up)
	for _, l := range byID {
		out = append(out, l)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].id < out[j].id })
	return out, opaque
}

func rank(s topology.State) int {
	switch s {
	case topology.Up:
		return 2
	case topology.Unknown:
		return 1
	}
	return 0
}
