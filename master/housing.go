package master

import (
	"context"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/homes"
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
	known := m.ledger.Knows(jid)
	fresh := m.ledger.Adopt(ledger.Job{JID: jid, Timeout: m.cfg.Timeout}, id)
	// Of one that is back and was waited for all the time, the masters above may have
	// heard that it is elsewhere.
	if !fresh && !m.ledger.Owes(jid, id) {
		return
	}
	if err := m.open.Mark(jid); err != nil {
		m.log.Error("A job of a minion that has moved here would not be taken up after a restart", "jid", jid, "id", id, "err", err)
	}
	m.books.Note(returners.Expectation{JID: jid, Minions: []string{id}, At: m.now(), State: returners.StateAdopted})
	m.fire(jid, wire.NewMap("minions", []any{id}, "jid", jid,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap(), "moved", true)))
	if !known { // its return may be here: its acknowledgement did not reach the minion, or not yet
		ctx, cancel := storeContext()
		defer cancel()
		m.countStored(ctx, jid)
	}
}

// adoptAgain takes up a job of an earlier life that is known by minions alone that
// came at work on it. They have the time to come back.
func (m *Master) adoptAgain(ctx context.Context, jid string) (known bool, err error) {
	xs, err := m.store.Local().GetExpectations(ctx, jid)
	if err != nil {
		return false, err
	}
	for _, x := range xs {
		if x.Node != "" {
			continue
		}
		for _, id := range x.Minions {
			_, missing := x.Missing[id]
			if missing || !m.ledger.Adopt(ledger.Job{JID: jid, Timeout: m.cfg.Timeout}, id) {
				continue
			}
			known = true
			if live, grace := m.presence.Grace(id); live != ledger.Up {
				m.ledger.Lease(jid, id, grace)
			}
		}
	}
	m.countStored(ctx, jid)
	return known, nil
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
		"guests", guests, "nodes", children, "siblings", homes.IDs(m.node, lists)), nil
}
