package zmtp

// Choice selects peers of a Pub by their [Peer.ID]. It must not be changed while it is in use.
type Choice struct {
	IDs map[uint64]bool
	// But selects all peers except these.
	But bool
}

// has reports whether a peer is selected. The nil Choice selects every peer.
func (c *Choice) has(p *Peer) bool { return c == nil || c.IDs[p.ID()] != c.But }
