package master

import (
	"context"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// adopt makes this master answer for the jobs that a guest was at work on when it
// came, or one of its own when it came back, and tells the masters above that it is
// here now. The returns of jobs beyond the bound adopted are taken all the same.
func (m *Master) adopt(a presence.Announcement) {
	if len(a.Running) == 0 {
		return
	}
	if !a.Back && !m.homes.Moves(a.ID) {
		return
	}
	for _, job := range a.Running[:min(len(a.Running), m.cfg.Bounds.Adopted)] {
		if jid.Valid(job) {
			m.adoptJob(job, a.ID)
		}
	}
}

func (m *Master) adoptJob(jid, id string) {
	ctx, cancel := storeContext()
	defer cancel()
	if err := m.jobs.Adopt(ctx, jid, id); err != nil {
		m.log.Error("The return that a minion may have brought before it came could not be counted", "jid", jid, "id", id, "err", err)
	}
}

// drain sets or takes back the mark that this node wants to lose its minions. It
// survives a restart.
func (m *Master) drain(on bool) error {
	if err := failover.Drain(m.cfg.Cachedir, on); err != nil {
		return err
	}
	m.tellDraining()
	m.fire("topology/draining", wire.NewMap("node", m.node, "draining", on))
	return nil
}

// tellDraining has the tree show that this node is draining, or that no longer.
func (m *Master) tellDraining() {
	m.tree.Tell(topology.Problem{
		Kind: topology.Degraded, Detail: "draining: its minions are asked to move to siblings; `mom node drain --undo` takes it back",
	}, "draining", m.Draining())
}

// Drain serves the runners node.drain and node.undrain.
func (e runnerEnv) Drain(on bool) error { return e.m.drain(on) }

// Housing serves the runner node.status.
func (e runnerEnv) Housing(context.Context) (*wire.Map, error) {
	m := e.m
	owed := returners.OwedAbove(m.store.Outbox().OutboxDests())
	silent, here := []any{}, []any{}
	for _, id := range m.keys.List(keys.Accepted) {
		switch s := m.presence.Minion(id); {
		case m.nodes.Has(id):
		case s.Live == ledger.Untracked, s.Stock && s.Live != ledger.Down: // no stock minion moves
			silent = append(silent, id)
		case s.Live == ledger.Up:
			here = append(here, id)
		}
	}
	guests, children := wire.NewMap(), []any{}
	away := m.homes.Guests()
	for _, id := range sortedKeys(away) {
		guests.Set(id, away[id])
	}
	for _, n := range m.homes.Below() {
		children = append(children, wire.NewMap("id", n.ID, "up", m.judge.Up(n.ID), "draining", n.Draining))
	}
	_, lists := m.homes.Siblings()
	return wire.NewMap("id", m.node, "draining", m.Draining(), "owed", owed, "connected", here, "untracked", silent,
		"guests", guests, "nodes", children, "siblings", failover.IDs(m.node, lists)), nil
}
