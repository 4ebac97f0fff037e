package zmtp

import "sync/atomic"

// budget is memory that many connections share. It never waits: whoever wants
// more than is left is refused, so nobody can hold others up.
type budget struct {
	limit   int64
	used    atomic.Int64
	refused atomic.Uint64
}

func (b *budget) take(n int64) bool {
	if b.used.Add(n) <= b.limit {
		return true
	}
	b.used.Add(-n)
	b.refused.Add(1)
	return false
}

func (b *budget) give(n int64) {
	if n != 0 {
		b.used.Add(-n)
	}
}
