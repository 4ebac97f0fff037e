package master

import (
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/returners"
)

// openFailover connects failover to the other parts. The rest of this package does not know about
// guests.
func (m *Master) openFailover() error {
	m.failover = failover.New(failover.Options{
		Config: m.cfg, State: m.guests, Node: m.node, Pair: m.keys.Identity.Pair, Signing: m.keys.Turns,
		Port: m.ports.Return,
		Keys: m.keys, Editor: m.keys, Shared: m.keys.Shared, Roles: m.policy.Roles(), IsNode: m.policy.IsNode, Presence: m.presence, Tree: m.tree, Jobs: m.jobs, PendingReturns: m.pendingAbove,
		Acts: m.acts, Refused: m.policy.Trespassed, Fire: m.fire, Publish: m.publishTo, Failing: m.failing, Log: m.log, Now: m.now,
	})
	return nil
}

// Failover returns the failover service, nil with rehome: False.
func (m *Master) Failover() *failover.Service { return m.failover }

// acts records the role of a peer.
func (m *Master) acts(id string, node bool) error {
	if node {
		return m.policy.Join(id)
	}
	m.policy.ActsAsMinion(id)
	return nil
}

// pendingAbove returns the number of returns queued for the masters above, 0 for a top.
func (m *Master) pendingAbove() int64 {
	if m.parent == "" {
		return 0
	}
	return returners.PendingAbove(m.store.Outbox().OutboxDests())
}

// publishTo publishes a message that is not a job to some connections.
func (m *Master) publishTo(p wire.Publication, conns map[uint64]bool) error {
	p.JID, p.User = m.jids.Next(), m.access.Own
	return m.publications.Send(p, []string{channel.ToAll}, &zmtp.Choice{IDs: conns})
}
