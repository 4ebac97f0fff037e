package ownership

import (
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/topology"
)

// ShowAccepted adds all accepted ids to the tree; changes of presence update their state later.
func (p *Policy) ShowAccepted() {
	for _, id := range p.o.Keys.List(keys.Accepted) {
		p.Show(id)
	}
}

// Show adds an accepted id to the tree, by its roles and its presence.
func (p *Policy) Show(id string) {
	if p.IsNode(id) {
		live, _ := p.o.Presence.Node(id)
		p.o.Tree.SetNodeState(id, presence.StateOf(live))
	}
	if !p.IsMinion(id) {
		p.o.Tree.RemoveMinion(id)
		return
	}
	p.o.Tree.SetMinion(topology.Minion{ID: id, State: presence.StateOf(p.o.Presence.Minion(id).Live)})
}
