package pace

// Ring fills a channel of one slot: a signal that is still unread is enough.
func Ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
