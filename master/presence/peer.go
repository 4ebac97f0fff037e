package presence

import (
	"slices"
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

// Peer is an id in one role.
type Peer struct {
	ID      string
	Role    string
	Version string
	Up      bool
	Since   time.Time // when Up last changed
	// Stock marks a peer known by its connection only, as a stock minion.
	Stock bool
	// Gone marks a peer that was not connected when the previous process ended: nobody
	// waits for it.
	Gone bool
}

// Announced returns the liveness of a minion that announces itself, and the time that an Away
// one may take to come back. All others are Untracked; see [Registry.Minion].
func (r *Registry) Announced(id string) (engine.Liveness, time.Duration) {
	return r.announced(key{Minion, id})
}

// StateOf converts the liveness of a peer to its state in the tree.
func StateOf(l engine.Liveness) topology.State {
	switch l {
	case engine.Up:
		return topology.Up
	case engine.Untracked:
		return topology.Unknown
	}
	return topology.Down
}

// Node is [Registry.Announced] for a node. A Python syndic is Untracked.
func (r *Registry) Node(id string) (engine.Liveness, time.Duration) {
	return r.announced(key{Syndic, id})
}

func (r *Registry) announced(k key) (engine.Liveness, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[k]
	if p == nil || p.Stock {
		return engine.Untracked, 0
	}
	return r.grace(p)
}

// Up reports whether a node or minion that announces itself is connected under id.
func (r *Registry) Up(id string) bool {
	for _, role := range []string{Minion, Syndic} {
		if live, _ := r.announced(key{role, id}); live == engine.Up {
			return true
		}
	}
	return false
}

// Runs reports whether a connected minion listed a job in its last announcement.
func (r *Registry) Runs(id, jid string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[key{Minion, id}]
	if p == nil || len(p.sessions) == 0 {
		return false
	}
	return slices.Contains(p.sessions[len(p.sessions)-1].ann.Running, jid)
}

// HasMinion reports whether a minion of an id is or was connected.
func (r *Registry) HasMinion(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.peers[key{Minion, id}] != nil || r.former[id]
}

// Announces reports whether a peer has announced itself in a role, in this process or the
// previous one.
func (r *Registry) Announces(role, id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[key{role, id}]
	return p != nil && !p.Stock
}

// grace returns the liveness of a peer that announces itself. The caller holds mu.
func (r *Registry) grace(p *peer) (engine.Liveness, time.Duration) {
	if p.Up {
		return engine.Up, 0
	}
	from, grace := p.Since, r.cfg.Lease
	if from.IsZero() {
		from, grace = r.started, r.cfg.StartGrace
	}
	if left := grace - r.cfg.Now().Sub(from); left > 0 {
		return engine.Away, left
	}
	return engine.Down, 0
}

// Connected counts the peers that are up.
func (r *Registry) Connected() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up
}

// Export lists the peers that the next process has to know, unordered: those that announce
// themselves, and the connected stock minions. sure reports whether the list contains all
// connected minions.
func (r *Registry) Export() (known []Peer, sure bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.peers {
		if p.Stock && !p.Up {
			continue
		}
		x := p.Peer
		if !p.Stock {
			live, _ := r.grace(p)
			x.Gone = live == engine.Down
		}
		known = append(known, x)
	}
	return known, r.sure()
}

// Peers lists all known peers, unordered.
func (r *Registry) Peers() []Peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Peer, 0, len(r.peers))
	for _, p := range r.peers {
		out = append(out, p.Peer)
	}
	return out
}

// TakeChanged reports whether the set of known peers changed since the last call.
func (r *Registry) TakeChanged() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.changed
	r.changed = false
	return c
}

// MarkChanged undoes [Registry.TakeChanged] after a failed write.
func (r *Registry) MarkChanged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
}
