package ownership

import (
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/topology"
)

// Where returns the minions that match B@ or D@ in a target; see [topology.Node.Where].
func (p *Policy) Where(letter, pattern string) ([]string, error) {
	here := topology.Node{}
	for _, id := range p.o.Keys.List(keys.Accepted) {
		if p.IsMinion(id) && !p.o.Absent(id) {
			here.Minions = append(here.Minions, topology.Minion{ID: id})
		}
	}
	for _, id := range p.nodes.List() {
		if !p.o.Keys.Accepted(id) || p.o.Absent(id) {
			continue
		}
		below, ok := p.o.Tree.Node(id)
		if !ok {
			below = topology.Node{}
		}
		below.ID = id
		here.Nodes = append(here.Nodes, below)
	}
	return here.Where(letter, pattern)
}
