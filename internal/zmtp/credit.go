package zmtp

// takeCredit waits for one of the connection's credits, or for its end. Credits
// are what bounds the requests one peer has in flight: without one its reader
// stops, and TCP tells the peer to wait.
func (p *Peer) takeCredit() error {
	select {
	case p.credit <- struct{}{}:
		return nil
	case <-p.dead:
		return p.err
	}
}

// returnCredit is called when a reply has left, not when it was queued: a peer
// that does not read its replies may not send more requests.
func (p *Peer) returnCredit() {
	select {
	case <-p.credit:
	default:
	}
}
