package presence

// Conns gives the ids of the connections over which a peer is subscribed now.
func (r *Registry) Conns(id string) []uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[id]
	if p == nil {
		return nil
	}
	var out []uint64
	for _, s := range p.sessions {
		for _, c := range s.conns {
			out = append(out, c.ID())
		}
	}
	return out
}

// Returning tells whether the registry has begun so lately that an id of its
// earlier life may still be on its way back. Who has been here since and left again
// is not: it is as good as gone, as at any other time.
func (r *Registry) Returning(id string) bool {
	if r.cfg.Now().Sub(r.started) >= r.cfg.Lease {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[id]
	return p != nil && !p.Up && p.Since.IsZero()
}
