package master

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/gossip"
)

// gossipPins is the file in cachedir that keeps the keys which nodes were first
// heard with.
const gossipPins = "gossip_keys"

// hearsay is what this master hears of other nodes beside the tree.
type hearsay struct {
	m    *Master
	g    *gossip.Gossip // nil: gossip is off
	keys atomic.Pointer[map[string]string]
	told map[string]topology.Problem
}

// openGossip begins to listen if topology_gossip wants it.
func (m *Master) openGossip() (*hearsay, error) {
	h := &hearsay{m: m, told: map[string]topology.Problem{}}
	own, err := gossip.Fingerprint(&m.identity.Pair.Private.PublicKey)
	if err != nil {
		return nil, err
	}
	m.tree.SetKey(own)
	if !m.cfg.Gossips() {
		return h, nil
	}
	h.look()
	h.g, err = gossip.New(gossip.Options{
		Mode: m.cfg.TopologyGossip, Listen: m.cfg.TopologyGossipListen, Seeds: m.cfg.TopologyGossipSeeds,
		Keyring: m.cfg.TopologyGossipKeyring, PinFile: filepath.Join(m.cfg.Cachedir, gossipPins),
		Key: m.identity.Pair.Private, Self: h.self, Vouched: func(id string) string { return (*h.keys.Load())[id] },
		Log: m.log, Now: m.now,
	})
	if err != nil {
		return nil, fmt.Errorf("topology_gossip: %w", err)
	}
	m.log.Info("Gossip with other nodes", "mode", m.cfg.TopologyGossip, "listen", h.g.Addr(), "encrypted", m.cfg.TopologyGossipKeyring != "")
	return h, nil
}

func (h *hearsay) run(ctx context.Context) {
	if h.g == nil {
		return
	}
	if err := h.g.Run(ctx); err != nil {
		h.m.log.Warn("The gossip did not end well", "err", err)
	}
}

// look reads the keys by which the tree knows its nodes.
func (h *hearsay) look() {
	keys := h.m.tree.Keys()
	h.keys.Store(&keys)
}

// self is this master's record.
func (h *hearsay) self() gossip.Record {
	n := h.m.tree.Skeleton()
	_, minions, up := n.Count()
	r := gossip.Record{
		ID: h.m.id, Role: n.Role, Version: h.m.version, Addr: h.m.address(),
		Minions: uint32(minions + n.Vitals.Accepted), Up: uint32(up + n.Vitals.Connected), Load: float32(n.Vitals.Load), //nolint:gosec // counts
	}
	for _, p := range h.m.tree.Parents() {
		if p.Up {
			r.Parent = p.ID
			break
		}
	}
	return r
}

// compare tells where gossip and the edges of this node differ, and enters the
// nodes that only gossip knows of.
func (h *hearsay) compare() {
	if h.g == nil {
		return
	}
	h.look()
	seen := h.g.Nodes()
	var heard []topology.Heard
	for _, s := range seen {
		state := topology.Down
		if s.Alive {
			state = topology.Up
		}
		heard = append(heard, topology.Heard{
			ID: s.ID, Role: s.Role, Version: s.Version, Addr: s.Addr, Parent: s.Parent, State: state, Since: s.Since,
			Minions: int(s.Minions), Trust: string(s.Trust),
		})
	}
	h.m.tree.SetHeard(heard)
	var edges []gossip.Edge
	for _, c := range h.m.tree.Skeleton().Nodes {
		if c.State != topology.Unknown { // a Python syndic
			edges = append(edges, gossip.Edge{ID: c.ID, Up: c.State == topology.Up, Since: c.Since})
		}
	}
	now := map[string]topology.Problem{}
	add := func(ps []topology.Problem, own bool) {
		for _, p := range ps {
			if own {
				p.Path = "" // it is not below this node
			}
			now[string(p.Kind)+" "+p.Detail] = p
		}
	}
	add(gossip.Compare(seen, edges, h.m.now()), false)
	edges = edges[:0]
	for _, p := range h.m.tree.Parents() {
		edges = append(edges, gossip.Edge(p))
	}
	add(gossip.Compare(nodesOf(seen, edges), edges, h.m.now()), true)
	for key, p := range now {
		h.m.tree.Tell(p, "gossip "+key, true)
	}
	for key, p := range h.told {
		if _, still := now[key]; !still {
			h.m.tree.Tell(p, "gossip "+key, false)
		}
	}
	h.told = now
}

// nodesOf leaves of what was heard the nodes at these edges.
func nodesOf(seen []gossip.Seen, edges []gossip.Edge) (out []gossip.Seen) {
	for _, s := range seen {
		for _, e := range edges {
			if s.ID == e.ID {
				s.Lives, s.Strange = min(s.Lives, 1), false // told already
				out = append(out, s)
			}
		}
	}
	return out
}
