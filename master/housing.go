package master

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/homes"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// adopt makes this master answer for the jobs that a guest was at work on when it
// came, and tells the masters above that it is here now.
func (m *Master) adopt(a presence.Announcement) {
	if len(a.Running) == 0 {
		return
	}
	if !m.homes.Moves(a.ID) {
		return
	}
	for _, jid := range a.Running {
		if !m.ledger.Adopt(ledger.Job{JID: jid, Timeout: m.cfg.Timeout}, a.ID) {
			continue
		}
		m.books.Note(returners.Expectation{JID: jid, Minions: []string{a.ID}, At: m.now()})
		m.fire(jid, wire.NewMap("minions", []any{a.ID}, "jid", jid,
			"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap(), "moved", true)))
	}
}

// drain sets or takes back the mark that this node wants to lose its minions. It
// survives a restart.
func (m *Master) drain(on bool) error {
	if err := homes.Drain(m.cfg.Cachedir, on); err != nil {
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
func (e runnerEnv) Housing(ctx context.Context) (*wire.Map, error) {
	m := e.m
	owed, _, err := m.store.Outbox().OutboxDepth(ctx, returners.DestParent("above"))
	if err != nil {
		return nil, fmt.Errorf("look into the outbox: %w", err)
	}
	silent, here := []any{}, []any{}
	for _, id := range m.keys.List(keys.Accepted) {
		switch live := m.presence.Live(id); {
		case m.nodes.Has(id):
		case live == ledger.Untracked:
			silent = append(silent, id)
		case live == ledger.Up:
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
		"guests", guests, "nodes", children, "siblings", homes.IDs(m.node, lists)), nil
}
