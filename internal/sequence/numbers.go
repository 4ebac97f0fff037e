package sequence

import "sync"

// Mark is what a request carries.
type Mark struct {
	// Number of the request; they go up. 0: the sender does not number them.
	Number uint64
	// Oldest is the least number of a request that the sender still waits for, at
	// most Number.
	Oldest uint64
}

// Numbers gives the requests of one sender to one receiver their marks. It is safe
// for concurrent use.
type Numbers struct {
	life *Life
	mu   sync.Mutex
	open map[uint64]struct{} // given out, and not done
}

// Numbers makes those for one receiver.
func (l *Life) Numbers() *Numbers { return &Numbers{life: l, open: map[uint64]struct{}{}} }

// Next marks a request. It is waited for until [Numbers.Done].
func (s *Numbers) Next() Mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := Mark{Number: s.life.last.Add(1)}
	s.open[m.Number] = struct{}{}
	m.Oldest = m.Number
	for n := range s.open {
		m.Oldest = min(m.Oldest, n)
	}
	return m
}

// Done tells that a request was answered or given up.
func (s *Numbers) Done(m Mark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, m.Number)
}

// Pass goes on behind a number that the receiver has heard of, if that is higher.
func (s *Numbers) Pass(n uint64) { s.life.pass(n) }
