package master

import (
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
)

// admit reads a job, given by the owner of a key, and checks who sent it, in this order:
// the blacklist, the rules that the sender is held to. A refusal says no more than that.
func (m *Master) admit(p wire.PublishLoad, owner string, calls []access.Call) (*job, error) {
	if m.access.Forbids(p.User, calls) {
		return nil, server.ErrNotAllowed
	}
	extra, err := extraOf(p)
	if err != nil {
		return nil, err
	}
	sender := access.Sender{Owner: owner, Own: m.user(), Name: p.User, Extra: extra}
	rules, ok := m.access.Rules(sender)
	if !ok {
		return nil, server.ErrNoAccess
	}
	j, err := m.readJob(p, m.access.Trusts(sender))
	if err != nil {
		return nil, err
	}
	if !m.access.Permits(rules, calls, func(to target.Expr) bool { return m.covers(to, j.Minions) }) {
		return nil, server.ErrNotAllowed
	}
	j.rules = rules
	return j, nil
}

// covers tells whether a target certainly means all of these minions.
func (m *Master) covers(to target.Expr, minions []string) bool {
	return !slices.ContainsFunc(minions, func(id string) bool { return to.Certain(m.data.Subject(id)) != target.Yes })
}
