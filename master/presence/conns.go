package presence

// MinionConns returns the ids of the connections over which a minion is subscribed.
func (r *Registry) MinionConns(id string) []uint64 { return r.conns(key{Minion, id}) }

// NodeConns returns the ids of the connections over which a node is subscribed.
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

// Audience counts the connected peers that announce themselves and returns their connections;
// with nodes, only those of nodes.
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

// Known returns the connections whose peer is known.
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

// Returning reports whether the registry started so recently that a minion of the previous
// process may still reconnect. A minion that came and left since then is not returning.
func (r *Registry) Returning(id string) bool {
	if r.cfg.Now().Sub(r.started) >= r.cfg.Lease {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[key{Minion, id}]
	return p != nil && !p.Up && p.Since.IsZero()
}

// Lost returns, once, the peers of the previous process that did not come back within
// StartGrace. Down is not called for them, as they were never up in this process.
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
