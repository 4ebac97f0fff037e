package treewatch

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/gossip"
)

// Gossip compares gossip about other nodes with the tree.
type Gossip struct {
	o        GossipOptions
	g        *gossip.Gossip // nil if gossip is off
	keys     atomic.Pointer[map[string]string]
	reported map[string]topology.Problem
}

// GossipOptions configure a [Gossip].
type GossipOptions struct {
	// ID and Version are this master's; Addr returns the address of its request port.
	ID, Version string
	Addr        func() string
	Tree        *topology.Tree
	// On says whether nodes gossip.
	On bool
	// Gossip configures the protocol. Listen fills in Self, Vouched, Log and Now.
	Gossip gossip.Options
	Log    *slog.Logger
	Now    func() time.Time
}

// Listen sets this master's key in the tree and, if gossip is on, starts to listen.
func Listen(o GossipOptions) (*Gossip, error) {
	h := &Gossip{o: o, reported: map[string]topology.Problem{}}
	own, err := gossip.Fingerprint(&o.Gossip.Key.PublicKey)
	if err != nil {
		return nil, err
	}
	o.Tree.SetKey(own)
	if !o.On {
		return h, nil
	}
	h.look()
	g := o.Gossip
	g.Self, g.Vouched, g.Log, g.Now = h.self, func(id string) string { return (*h.keys.Load())[id] }, o.Log, o.Now
	if h.g, err = gossip.New(g); err != nil {
		return nil, fmt.Errorf("topology_gossip: %w", err)
	}
	o.Log.Info("gossip started", "mode", g.Mode, "listen", h.g.Addr(), "encrypted", g.Keyring != "")
	return h, nil
}

// Run gossips until ctx ends.
func (h *Gossip) Run(ctx context.Context) {
	if h.g == nil {
		return
	}
	if err := h.g.Run(ctx); err != nil {
		h.o.Log.Warn("gossip shutdown failed", "err", err)
	}
}

// look reads the keys of the nodes in the tree.
func (h *Gossip) look() {
	keys := h.o.Tree.Keys()
	h.keys.Store(&keys)
}

// self returns this master's record.
func (h *Gossip) self() gossip.Record {
	n := h.o.Tree.Skeleton()
	_, minions, up := n.Count()
	r := gossip.Record{
		ID: h.o.ID, Role: n.Role, Version: h.o.Version, Addr: h.o.Addr(),
		Minions: uint32(minions + n.Vitals.Accepted), Up: uint32(up + n.Vitals.Connected), Load: float32(n.Vitals.Load),
	}
	for _, p := range h.o.Tree.Parents() {
		if p.Up {
			r.Parent = p.ID
			break
		}
	}
	return r
}

// Compare sets tree problems where gossip and the edges of this node differ, and lists the nodes
// known only by gossip.
func (h *Gossip) Compare() {
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
	h.o.Tree.SetHeard(heard)
	var edges []gossip.Edge
	for _, c := range h.o.Tree.Skeleton().Nodes {
		if c.State != topology.Unknown { // a Python syndic
			edges = append(edges, gossip.Edge{ID: c.ID, Up: c.State == topology.Up, Since: c.Since})
		}
	}
	now := map[string]topology.Problem{}
	add := func(ps []topology.Problem, own bool) {
		for _, p := range ps {
			if own {
				p.Path = "" // not below this node
			}
			now[string(p.Kind)+" "+p.Detail] = p
		}
	}
	add(gossip.Compare(seen, edges, h.o.Now()), false)
	edges = edges[:0]
	for _, p := range h.o.Tree.Parents() {
		edges = append(edges, gossip.Edge(p))
	}
	add(gossip.Compare(nodesOf(seen, edges), edges, h.o.Now()), true)
	for key, p := range now {
		h.o.Tree.SetProblem(p, "gossip "+key, true)
	}
	for key, p := range h.reported {
		if _, still := now[key]; !still {
			h.o.Tree.SetProblem(p, "gossip "+key, false)
		}
	}
	h.reported = now
}

// nodesOf returns the seen nodes at these edges.
func nodesOf(seen []gossip.Seen, edges []gossip.Edge) (out []gossip.Seen) {
	for _, s := range seen {
		for _, e := range edges {
			if s.ID == e.ID {
				s.Lives, s.Strange = min(s.Lives, 1), false // already reported
				out = append(out, s)
			}
		}
	}
	return out
}
