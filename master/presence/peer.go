package presence

import (
	"time"

	"github.com/momtree/mom/master/engine"
)

// Peer is what is known of one id in one role.
type Peer struct {
	ID      string
	Role    string
	Version string
	Up      bool
	Since   time.Time // when Up last changed
	// Stock: it is known by its connection alone, as a minion of Python's Salt.
	Stock bool
	// Gone is of one that an earlier life of this master has known: it was not connected when
	// that ended, so nobody waits for it to come back.
	Gone bool
}

// Announced tells how the ledger has to treat a minion that announces itself, with the time
// that one that is Away has left to come back. All others are Untracked: see
// [Registry.Minion].
func (r *Registry) Announced(id string) (engine.Liveness, time.Duration) {
	return r.announced(key{Minion, id})
}

// Node is Announced of a node: one of Python's announces nothing, so that it is Untracked.
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

// Up reports whether a node or minion of an id is connected and announces itself.
func (r *Registry) Up(id string) bool {
	for _, role := range []string{Minion, Syndic} {
		if live, _ := r.announced(key{role, id}); live == engine.Up {
			return true
		}
	}
	return false
}

// HasMinion reports whether a minion of an id is connected, or was.
func (r *Registry) HasMinion(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.peers[key{Minion, id}] != nil || r.former[id]
}

// Announces reports whether a node, or else a minion, of an id has announced itself in that
// role, in this life or an earlier one.
func (r *Registry) Announces(role, id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[key{role, id}]
	return p != nil && !p.Stock
}

// grace is Announced of a peer of ours. The caller holds mu.
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

// Keep lists who an early next life has to know, unordered: the peers that announce
// themselves, Gone those that nobody waits for any more, and the stock minions that are
// connected. sure reports whether all who are connected are among them.
func (r *Registry) Keep() (known []Peer, sure bool) {
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

// TakeChanged tells whether the set of known peers has changed since the last
// call, so that its keeper writes it only then.
func (r *Registry) TakeChanged() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.changed
	r.changed = false
	return c
}

// PutChanged takes a [Registry.TakeChanged] back: the set could not be written.
func (r *Registry) PutChanged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
}
