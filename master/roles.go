package master

import (
	"errors"
	"path/filepath"

	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
)

// actsAsMinion fixes the role of a key that has proven itself and did what only a minion
// does: return a job, fire an event of its own, announce itself as one. A key that is a
// node's stays that: what it says in its own name harms nobody. The key of a request in
// protocol 3 or with a tok is proven.
func (m *Master) actsAsMinion(id string) {
	err := m.roles.Fix(id, roles.Minion)
	if err != nil && !errors.Is(err, roles.ErrFixed) {
		m.failing("That a key is a minion's could not be written down", err)
	}
}

// talksUnannounced has a peer that is known to announce itself, is gone, and now talks
// without that, taken for one of Python's in its place. Only a request that proves its key
// tells that: a sign-in can be made with the public key alone.
func (m *Master) talksUnannounced(id string) {
	if m.presence.Live(id) == ledger.Down {
		m.presence.Forget(id)
	}
}

// inheritRoles takes over what earlier versions, or a master of Salt's in the same folders,
// knew of who is what: known are the peers that have announced themselves, and syndic_dir has
// a mark for each syndic. Marks of those that may be no nodes go.
func (m *Master) inheritRoles(known []presence.Peer) {
	for _, p := range known {
		if p.Role == presence.Minion && m.keys.Accepted(p.ID) && m.roles.Of(p.ID) == roles.None && !m.nodes.Has(p.ID) {
			m.actsAsMinion(p.ID)
		}
	}
	m.nodes.Bar(m.noNode, m.log)
	for _, id := range m.nodes.List() {
		if m.roles.Of(id) != roles.None {
			continue
		}
		if err := m.roles.Fix(id, roles.Syndic); err != nil {
			m.log.Error("That a key is a node's could not be written down", "id", id, "file", filepath.Join(m.cfg.PkiDir, roles.File), "err", err)
		}
	}
}

// noNode tells why a node of before is none any more, "" if it is.
func (m *Master) noNode(id string) string {
	switch {
	case !m.keys.Accepted(id):
		return "its key is not accepted"
	case m.roles.Admitted(id):
		return ""
	case len(m.cfg.SyndicIds) > 0:
		return "syndic_ids does not list it, and it is not admitted"
	case m.roles.Of(id) == roles.Minion:
		return "its key is a minion's, and it is not admitted any more"
	}
	return ""
}

// lookAtRoles follows what operators admit and withdraw, and has the disk take the roles.
func (m *Master) lookAtRoles() {
	if err := m.roles.Sync(); err != nil {
		m.failing("The roles of keys could not be written", err)
	}
	changed := m.roles.Look()
	for _, id := range changed {
		m.log.Info("The admission of a node changed", "id", id, "admitted", m.roles.Admitted(id))
	}
	if len(changed) > 0 {
		m.nodes.Bar(m.noNode, m.log)
		m.failover.AdmissionsChanged(changed)
	}
}
