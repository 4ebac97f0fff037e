package ownership

import (
	"errors"

	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
)

// ActsAsMinion fixes the role of a key that has proven itself and did what only a minion does:
// return a job, fire an event of its own, or announce itself as one. The key of a node keeps its
// role. A request in protocol 3 or with a tok proves its key.
func (p *Policy) ActsAsMinion(id string) {
	err := p.roles.Fix(id, roles.Minion)
	if err != nil && !errors.Is(err, roles.ErrFixed) {
		p.o.Failing("role of a minion's key not written", err)
	}
}

// Inherit derives missing roles from what a Salt master in the same directories has stored, and
// after the loss of the roles: the peers that announced themselves, and the marks in syndic_dir. It
// removes marks of ids that may not be nodes.
func (p *Policy) Inherit(known []presence.Peer) {
	for _, x := range known {
		if x.Role == presence.Minion && p.o.Keys.Accepted(x.ID) && p.roles.Of(x.ID) == roles.None && !p.nodes.Has(x.ID) {
			p.ActsAsMinion(x.ID)
		}
	}
	p.nodes.Bar(p.whyNotNode, p.o.Log)
	for _, id := range p.nodes.List() {
		if p.roles.Of(id) != roles.None {
			continue
		}
		if err := p.roles.Fix(id, roles.Syndic); err != nil {
			p.o.Log.Error("role of node key not saved", "node", id, "path", roles.File, "err", err)
		}
	}
}

// whyNotNode returns why a marked id may not be a node any more, or "".
func (p *Policy) whyNotNode(id string) string {
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
		return "its key is a minion's, and it is no longer admitted"
	}
	return ""
}

// Look reads the admissions that operators have changed, and saves the roles. It returns the ids
// whose admission changed.
func (p *Policy) Look() (changed []string) {
	if err := p.roles.Sync(); err != nil {
		p.o.Failing("roles of keys not written", err)
	}
	changed = p.roles.Look()
	for _, id := range p.roles.Tops() { // shown as a minion if its key was accepted first
		p.o.Tree.RemoveMinion(id)
	}
	for _, id := range changed {
		p.o.Log.Info("node admission changed", "node", id, "admitted", p.roles.Admitted(id))
	}
	if len(changed) > 0 {
		p.nodes.Bar(p.whyNotNode, p.o.Log)
	}
	return changed
}
