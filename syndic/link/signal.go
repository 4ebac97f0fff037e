package link

// Signal sends to a channel of capacity one without blocking. A signal still unread is enough.
func Signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
