package zmtp

import (
	"math/rand/v2"
	"time"
)

// backoff computes the pauses between attempts to connect.
type backoff struct {
	min, max time.Duration
	plain    bool // double from min to max, without a random part
	failures int
}

// next returns the pause after one more failure. With a random part it is min plus a random
// part of the window, which doubles from min to max: the peers of a restarted server are back
// within 2·min, and a server that stays away is not flooded.
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
