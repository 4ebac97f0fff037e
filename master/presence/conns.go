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

// Young tells whether the registry has begun so lately that peers of an earlier
// life may still be on their way back.
func (r *Registry) Young() bool { return r.cfg.Now().Sub(r.started) < r.cfg.Lease }
