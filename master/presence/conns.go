package presence

// MinionConns gives the ids of the connections over which a minion is subscribed now.
func (r *Registry) MinionConns(id string) []uint64 { return r.conns(key{Minion, id}) }

// NodeConns is MinionConns of a node.
func (r *Registry) NodeConns(id string) []uint64 { return r.conns(key{Syndic, id}) }

func (r *Registry) conns(k key) (out []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[k]
	if p == nil {
		return nil
	}
	for _, s := range p.sessions {
		for _, c := range s.conns {
			out = append(out, c.ID())
		}
	}
	return out
}

// Audience counts the peers of ours that are connected, and gives the connections over which
// they are; nodes: those of nodes alone.
func (r *Registry) Audience(nodes bool) (minions, syndics int, conns map[uint64]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	conns = map[uint64]bool{}
	for _, p := range r.peers {
		switch {
		case !p.Up || p.Stock || nodes && p.Role != Syndic:
			continue
		case p.Role == Syndic:
			syndics++
		default:
			minions++
		}
		for _, s := range p.sessions {
			for _, c := range s.conns {
				conns[c.ID()] = true
			}
		}
	}
	return minions, syndics, conns
}

// Known are the connections of which it is known who is behind them: a peer of ours, or a
// minion of Salt's that has answered over it.
func (r *Registry) Known() map[uint64]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[uint64]bool{}
	for _, p := range r.peers {
		for _, s := range p.sessions {
			for _, c := range s.conns {
				out[c.ID()] = true
			}
		}
	}
	return out
}

// Returning reports whether the registry has begun so lately that a minion of its
// earlier life may still be on its way back. Who has been here since and left again
// is not: it is as good as gone, as at any other time.
func (r *Registry) Returning(id string) bool {
	if r.cfg.Now().Sub(r.started) >= r.cfg.Lease {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[key{Minion, id}]
	return p != nil && !p.Up && p.Since.IsZero()
}

// Lost gives, once, the peers of the earlier life that have not come back within
// StartGrace: Down is not called for them, as they were never up in this one.
func (r *Registry) Lost() []Peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.missed || r.cfg.Now().Sub(r.started) < r.cfg.StartGrace {
		return nil
	}
	r.missed = true
	var out []Peer
	for _, p := range r.peers {
		if !p.Up && p.Since.IsZero() {
			out = append(out, p.Peer)
		}
	}
	return out
}
