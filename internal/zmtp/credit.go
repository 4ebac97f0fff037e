package zmtp

// takeCredit waits for one of the connection's credits, or for its end. Credits bound the
// requests that a peer has in flight: without one its reader stops, and TCP makes the peer
// wait.
func (p *Peer) takeCredit() error {
	select {
	case p.credit <- struct{}{}:
		return nil
	case <-p.dead:
		return p.err
	}
}

// returnCredit is called when a reply was sent, not when it was queued: a peer that does not
// read its replies may not send more requests.
func (p *Peer) returnCredit() {
	select {
	case <-p.credit:
	default:
	}
}
