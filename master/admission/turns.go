package admission

// Turns limits concurrency. Waiters take their turns in order.
type Turns chan struct{}

// NewTurns allows n at once.
func NewTurns(n int) Turns { return make(Turns, n) }

// Take blocks until a turn is free; [Turns.Give] releases it.
func (s Turns) Take() { s <- struct{}{} }

// TryTake takes a turn if one is free. It does not block.
func (s Turns) TryTake() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

// Give releases a turn.
func (s Turns) Give() { <-s }
