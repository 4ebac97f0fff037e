package syndic

import (
	"math/rand/v2"
	"time"
)

// pace holds the waits of a forwarder.
type pace struct {
	// retryMin and retryMax bound the wait after a request that failed.
	retryMin, retryMax time.Duration
	// answer is how long a master above may take at first; it is doubled after
	// each time-out, up to request_channel_timeout.
	answer time.Duration
	// operator is the wait after an error that only an operator can mend, such
	// as a refused key.
	operator time.Duration
	// report is how often presence is told when nothing changes, so that a
	// master above that went deaf without closing its connection is noticed;
	// reportMin is the least between two reports.
	report, reportMin time.Duration
	// beat is the silence after which a subscription is asked for a sign of life;
	// after three of it it is made anew.
	beat time.Duration
	// sweep is how often it is seen to that no row of the outbox was passed over.
	sweep time.Duration
	// siblings is how often the masters above are asked who the siblings are.
	siblings time.Duration
	// publish bounds the attempts to publish one job on the local master.
	publish time.Duration
}

func defaultPace() pace {
	return pace{
		retryMin: 200 * time.Millisecond, retryMax: 10 * time.Second, answer: 5 * time.Second, operator: 30 * time.Second,
		report: 10 * time.Second, beat: 2 * time.Second, reportMin: 200 * time.Millisecond, publish: 10 * time.Second, siblings: 5 * time.Second,
	}
}

// backoff gives growing waits with a fifth of jitter.
type backoff struct{ next, min, max time.Duration }

func (p pace) backoff() backoff { return backoff{min: p.retryMin, max: p.retryMax} }

func (b *backoff) reset() { b.next = 0 }

func (b *backoff) wait() time.Duration {
	b.next = min(max(2*b.next, b.min), b.max)
	return b.next - rand.N(b.next/5+1)
}

// ring fills a channel of one slot: a signal that is still unread is enough.
func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
