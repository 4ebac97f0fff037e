package master

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/roles"
	"github.com/momtree/mom/topology"
)

// owned tells whether a node may speak for a minion in what it says of a job, and counts if it may not.
func (m *Master) owned(node, jid, id string) bool {
	err := m.judge.MayAnswer(node, id)
	if err != nil {
		m.trespassed(ownership.Trespass{Kind: ownership.OfExpectation, Path: node, ID: id, JID: jid, Err: err})
	}
	return err == nil
}

// ownedBy leaves out of a node's minions those that are not its own.
func (m *Master) ownedBy(node, jid string, ids []string) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return !m.owned(node, jid, id) })
}

// owesReturns tells whether a node right below may still have returns to hand up: it
// is away, or says so.
func (m *Master) owesReturns(node string) bool {
	n, known := m.tree.Node(node)
	return known && (n.State != topology.Up || n.Vitals.Started.IsZero() || n.Vitals.Owed > 0)
}

// noteNode remembers that an accepted id is a node and not a minion.
func (m *Master) noteNode(id string) error {
	err := cmp.Or(m.judge.MayBeNode(id), m.failover.MayBeNode(id))
	if err != nil {
		return m.bar(id, err)
	}
	if m.roles.Of(id) == roles.None {
		if err := m.roles.Fix(id, roles.Syndic); err != nil {
			return fmt.Errorf("mark syndic %s: %w", id, err)
		}
	}
	fresh, err := m.nodes.Add(id)
	if err != nil {
		return fmt.Errorf("mark syndic %s: %w", id, err)
	}
	m.unbar(id)
	if fresh {
		m.log.Info("A node below made itself known", "node", id)
		m.tree.SetNodeState(id, m.nodeState(id))
	}
	return nil
}

// applyDelta enters a difference into the tree and among the claims. One that does
// not fit is dropped: the answer tells the node to report the whole.
func (m *Master) applyDelta(id, life string, d topology.Delta) error {
	err := m.tree.Apply(id, life, d)
	if errors.Is(err, topology.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	n, _ := m.tree.Node(id)
	m.claims.Change(n, d)
	return nil
}
