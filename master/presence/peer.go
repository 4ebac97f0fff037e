package presence

import (
	"time"

	"github.com/momtree/mom/master/jobs/ledger"
)

// Peer is what is known of one id.
type Peer struct {
	ID      string
	Role    string
	Version string
	Up      bool
	Since   time.Time // when Up last changed
	// Stock: it is known by its connection alone, as a minion of Python's Salt.
	Stock bool
}

// Live tells of an id that announces itself how the ledger has to treat it. All
// others are Untracked: see [Registry.Minion].
func (r *Registry) Live(id string) ledger.Liveness {
	live, _ := r.Grace(id)
	return live
}

// Grace is Live with the time an Away peer has left to come back.
func (r *Registry) Grace(id string) (ledger.Liveness, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[id]
	if p == nil || p.Stock {
		return ledger.Untracked, 0
	}
	return r.grace(p)
}

// Node is Grace of a node: a minion that stands beside it under its key says nothing of
// it, and one of Python's announces nothing, so that it is Untracked.
func (r *Registry) Node(id string) (ledger.Liveness, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[id]
	if p == nil || p.Role != Syndic {
		return ledger.Untracked, 0
	}
	return r.grace(p)
}

// Beside tells whether the id of a node is that of a minion as well, which shares its
// key: it is connected, or it was and of the node nothing is known by a connection.
func (r *Registry) Beside(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[id]
	return p != nil && (p.Role == Minion || p.minion() != nil)
}

// minion gives the session of a minion, nil if there is none. The caller holds mu of the
// registry.
func (p *peer) minion() (found *session) {
	for _, s := range p.sessions {
		if s.ann.Role == Minion && (found == nil || found.ann.Stock) {
			found = s
		}
	}
	return found
}

// grace is Grace of a peer of ours. The caller holds mu.
func (r *Registry) grace(p *peer) (ledger.Liveness, time.Duration) {
	if p.Up {
		return ledger.Up, 0
	}
	from, grace := p.Since, r.cfg.Lease
	if from.IsZero() {
		from, grace = r.started, r.cfg.StartGrace
	}
	if left := grace - r.cfg.Now().Sub(from); left > 0 {
		return ledger.Away, left
	}
	return ledger.Down, 0
}

// Role gives the role an id has announced, "" if it never did.
func (r *Registry) Role(id string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.peers[id]; p != nil && !p.Stock {
		return p.Role
	}
	return ""
}

// Connected counts the ids that are up.
func (r *Registry) Connected() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up
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
