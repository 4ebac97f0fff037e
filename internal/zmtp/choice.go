package zmtp

// Choice picks peers of a Pub by their [Peer.ID]. It must not be changed while it
// is in use.
type Choice struct {
	IDs map[uint64]bool
	// But takes all peers but these.
	But bool
}

// has tells whether a peer is picked. The nil Choice picks everybody.
func (c *Choice) has(p *Peer) bool { return c == nil || c.IDs[p.ID()] != c.But }
