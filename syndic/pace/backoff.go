package pace

import (
	"math/rand/v2"
	"time"
)

// Backoff gives growing waits with a fifth of jitter.
type Backoff struct{ next, min, max time.Duration }

// Backoff is for what is repeated while it fails, such as a request.
func (p *Pace) Backoff() Backoff { return Backoff{min: p.RetryMin, max: p.RetryMax} }

// Reset begins with the shortest wait again.
func (b *Backoff) Reset() { b.next = 0 }

// Wait is how long to wait after one more failure.
func (b *Backoff) Wait() time.Duration {
	b.next = min(max(2*b.next, b.min), b.max)
	return b.next - rand.N(b.next/5+1)
}
