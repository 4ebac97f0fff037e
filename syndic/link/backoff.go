package link

import (
	"math/rand/v2"
	"time"
)

// Backoff computes exponentially growing waits with up to 20 % jitter.
type Backoff struct{ next, min, max time.Duration }

// Backoff returns the waits between retries of a failing request.
func (p *Pace) Backoff() Backoff { return Backoff{min: p.RetryMin, max: p.RetryMax} }

// Reset returns to the shortest wait.
func (b *Backoff) Reset() { b.next = 0 }

// Wait returns the wait after another failure.
func (b *Backoff) Wait() time.Duration {
	b.next = min(max(2*b.next, b.min), b.max)
	return b.next - rand.N(b.next/5+1)
}
