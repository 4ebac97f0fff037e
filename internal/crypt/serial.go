package crypt

import "sync/atomic"

// Serial is the replay check of publications: a number is accepted only if it is greater than
// all earlier ones with the same key (Salt wire reference §7). Gaps are normal, since a
// filtered subscriber does not see all. The zero value is ready to use; make a new one, or call
// Reset, for each new key. It is safe for concurrent use.
type Serial struct{ last atomic.Int64 }

// Accept reports whether n is greater than the last serial, and if so stores it.
func (s *Serial) Accept(n int64) bool {
	for {
		last := s.last.Load()
		if n <= last {
			return false
		}
		if s.last.CompareAndSwap(last, n) {
			return true
		}
	}
}

// Reset forgets the last serial.
func (s *Serial) Reset() { s.last.Store(0) }
