package admission

// Turns bound how many do something at once. Waiters take their turn in
// the order in which they came.
type Turns chan struct{}

// NewTurns lets n at once.
func NewTurns(n int) Turns { return make(Turns, n) }

// Take waits for a turn; [Turns.Give] gives it back.
func (s Turns) Take() { s <- struct{}{} }

// TryTake takes a turn if one is free.
func (s Turns) TryTake() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

// Give gives a turn back.
func (s Turns) Give() { <-s }
