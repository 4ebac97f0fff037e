package zmtp

import (
	"math/rand/v2"
	"time"
)

// backoff spaces attempts to connect.
type backoff struct {
	min, max time.Duration
	plain    bool // double from min to max, without chance
	failures int
}

// next is how long to wait after one more failure. With chance it is min plus
// anything up to the window, which doubles from min to max: a server that was
// only restarted has its peers back within 2·min, and one that stays away is not
// overrun.
func (b *backoff) next() time.Duration {
	grown := b.max
	if b.failures < 30 {
		grown = min(b.max, b.min<<b.failures)
	}
	b.failures++
	if b.plain {
		return max(grown, b.min)
	}
	return b.min + rand.N(grown+1)
}

func (b *backoff) reset() { b.failures = 0 }
