package ownership

import (
	"errors"

	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
)

// ActsAsMinion fixes the role of a key that has proven itself and did what only a minion
// does: return a job, fire an event of its own, announce itself as one. A key that is a
// node's stays that: what it says in its own name harms nobody. The key of a request in
// protocol 3 or with a tok is proven.
func (p *Policy) ActsAsMinion(id string) {
	err := p.roles.Fix(id, roles.Minion)
	if err != nil && !errors.Is(err, roles.ErrFixed) {
		p.o.Failing("That a key is a minion's could not be written down", err)
	}
}

// Inherit takes over what earlier versions, or a master of Salt's in the same folders,
// knew of who is what: known are the peers that have announced themselves, and syndic_dir
// has a mark for each syndic. Marks of those that may be no nodes go.
func (p *Policy) Inherit(known []presence.Peer) {
	for _, x := range known {
		if x.Role == presence.Minion && p.o.Keys.Accepted(x.ID) && p.roles.Of(x.ID) == roles.None && !p.nodes.Has(x.ID) {
			p.ActsAsMinion(x.ID)
		}
	}
	p.nodes.Bar(p.noNode, p.o.Log)
	for _, id := range p.nodes.List() {
		if p.roles.Of(id) != roles.None {
			continue
		}
		if err := p.roles.Fix(id, roles.Syndic); err != nil {
			p.o.Log.Error("role of node key not saved", "node", id, "path", roles.File, "err", err)
		}
	}
}

// noNode tells why a node of before is none any more, "" if it is.
func (p *Policy) noNode(id string) string {
	switch {
	case !p.o.Keys.Accepted(id):
		return "its key is not accepted"
	case p.roles.Admitted(id):
		return ""
	case len(p.o.SyndicIDs) > 0:
		return "syndic_ids does not list it, and it is not admitted"
	case !p.o.OrderMasters:
		return "order_masters is off, syndic_ids does not list it, and it is not admitted"
	case p.roles.Of(id) == roles.Minion:
		return "its key is a minion's, and it is not admitted any more"
	}
	return ""
}

// Look follows what operators admit and withdraw, and has the disk take the roles. It
// gives those whose admission has changed.
func (p *Policy) Look() (changed []string) {
	if err := p.roles.Sync(); err != nil {
		p.o.Failing("The roles of keys could not be written", err)
	}
	changed = p.roles.Look()
	for _, id := range changed {
		p.o.Log.Info("node admission changed", "node", id, "admitted", p.roles.Admitted(id))
	}
	if len(changed) > 0 {
		p.nodes.Bar(p.noNode, p.o.Log)
	}
	return changed
}
