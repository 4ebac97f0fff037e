package master

import (
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/topology"
)

// takeTree takes what a node reports of the tree below it: the whole, or what
// has changed since its last report.
func (m *Master) takeTree(a presence.Announcement, d *wire.Map) error {
	if a.Role != presence.Syndic {
		return nil
	}
	life := d.String("life")
	switch whole, part := d.Map("tree"), d.Map("delta"); {
	case whole != nil:
		n, err := topology.FromMap(whole)
		if err != nil {
			return fmt.Errorf("tree of node %s: %w", a.ID, err)
		}
		at, _ := d.Get("revision")
		revision, _ := at.(int64)
		if err := m.takeWhole(a, n, life, uint64(max(revision, 0))); err != nil { //nolint:gosec // not negative
			return err
		}
	case part != nil:
		delta, err := topology.DeltaFrom(part)
		if err != nil {
			return fmt.Errorf("tree of node %s: %w", a.ID, err)
		}
		if err := m.applyDelta(a.ID, life, delta); err != nil {
			return fmt.Errorf("tree of node %s: %w", a.ID, err)
		}
	}
	if now, ok := d.Get("now"); ok {
		if ns, ok := now.(int64); ok {
			m.tree.SetSkew(a.ID, time.Unix(0, ns).Sub(m.now()).Round(10*time.Millisecond))
		}
	}
	return nil
}

// takeWhole enters all that a node tells of itself and of what is below it.
func (m *Master) takeWhole(a presence.Announcement, n topology.Node, life string, revision uint64) error {
	n.ID, n.Role, n.Version, n.State, n.Life = a.ID, presence.Syndic, a.Version, m.nodeState(a.ID), life
	if err := m.tree.Report(n, revision); err != nil {
		return fmt.Errorf("tree of node %s: %w", a.ID, err)
	}
	m.policy.Claims().Report(n)
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
	m.policy.Claims().Change(n, d)
	return nil
}

// owesReturns tells whether a node right below may still have returns to hand up: it
// is away, or says so.
func (m *Master) owesReturns(node string) bool {
	n, known := m.tree.Node(node)
	return known && (n.State != topology.Up || n.Vitals.Started.IsZero() || n.Vitals.Owed > 0)
}

// tellPruned tells a node that it does not get what none of its minions needs:
// numbers that it does not hear are no sign of a loss.
func (m *Master) tellPruned(g greeting, reply *wire.Map) {
	if g.peer.Role == presence.Syndic && m.cfg.PublishPrune {
		reply.Set("filtered", true)
	}
}

// tellRevision tells a node which revision of its tree is here, so that it knows
// what to report next, and which nodes are above it.
func (m *Master) tellRevision(g greeting, reply *wire.Map) {
	life := g.load.String("life")
	if g.peer.Role != presence.Syndic || life == "" {
		return
	}
	m.tree.Tell(loopBelow(g.peer.ID), g.peer.ID, false)
	reply.Set("tree", int64(m.tree.Have(g.peer.ID, life))) //nolint:gosec // it came as one
	reply.Set("above", topology.AncestorsWire(m.tree.Path()))
	reply.Set("pieces", true)
}

// refuseLoop answers a node that has this very master below it. It is not taken
// as a node here.
func (m *Master) refuseLoop(a presence.Announcement, err error) *wire.Map {
	m.log.Error("A node is refused", "node", a.ID, "err", err)
	m.tree.Tell(loopBelow(a.ID), a.ID, true)
	return wire.NewMap("session", false, "node", m.node, "loop", true)
}

func loopBelow(id string) topology.Problem {
	return topology.Problem{
		Kind: topology.Loop, Path: id,
		Detail: fmt.Sprintf("node %s has this master below it and is refused; take one of the two out of syndic_master of the other", id),
	}
}
