package master

// semaphore bounds how many do something at once. Waiters take their turn in
// the order in which they came.
type semaphore chan struct{}

func (s semaphore) take() { s <- struct{}{} }

func (s semaphore) tryTake() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s semaphore) give() { <-s }
