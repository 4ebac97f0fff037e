package sequence

import "sync"

// Mark is the numbering in a request.
type Mark struct {
	// Number is the rising number of the request. 0 means that the sender does not number
	// requests.
	Number uint64
	// Oldest is the lowest number of a request that the sender still waits for, at most Number.
	Oldest uint64
}

// Numbers marks the requests of one sender to one receiver. It is safe for concurrent use.
type Numbers struct {
	life *Life
	mu   sync.Mutex
	open map[uint64]struct{} // in use, and not done
}

// Numbers returns the Numbers for one receiver.
func (l *Life) Numbers() *Numbers { return &Numbers{life: l, open: map[uint64]struct{}{}} }

// Next returns the mark of a new request, which is open until [Numbers.Done].
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

// Done records that a request was answered or given up.
func (s *Numbers) Done(m Mark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, m.Number)
}

// Pass continues after a number that the receiver has seen, if that is higher.
func (s *Numbers) Pass(n uint64) { s.life.pass(n) }
