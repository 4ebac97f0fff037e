package admission

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/momtree/mom/internal/lru"
)

// maxNonces bounds the recorded requests: some 150 bytes each, plus the answer if it is more than an
// acknowledgement.
const maxNonces = 65536

// ErrFailedBefore is the error for a repeat of a request that failed.
var ErrFailedBefore = errors.New("the same request has failed before")

// Nonces recognizes repeated requests whose effect would differ if served twice (events,
// announcements, a deleted key). A stranger may replay a recorded one. A peer uses a new nonce for
// each request, but resends the same bytes if it got no answer. So a repeat gets the answer of the
// first, and not earlier: an acknowledgement before the commit could be undone by a crash.
type Nonces struct {
	mu   sync.Mutex
	seen *lru.Guarded[[16]byte, *Outcome]

	waiting atomic.Int64 // waiting repeats
}

// Outcome is the result of a request.
type Outcome struct {
	key   [16]byte
	done  chan struct{} // closed with the result
	value any
	err   error
}

// acknowledged is the outcome of nearly all requests.
var acknowledged = func() *Outcome {
	o := &Outcome{done: make(chan struct{})}
	close(o.done)
	return o
}()

// NewNonces returns an empty Nonces.
func NewNonces() *Nonces { return &Nonces{seen: lru.NewGuarded[[16]byte, *Outcome](maxNonces, nil)} }

// Once calls serve for the first request with a nonce, and returns its result for the request and
// all repeats. again is true for a repeat, which did not call serve. A repeat blocks until the
// first is done or ctx ends. Errors listed in keep are returned to repeats as they are, others as
// [ErrFailedBefore]. Requests without nonce, of protocols 0 and 1, are always served.
func (n *Nonces) Once(ctx context.Context, id, nonce string, serve func() (any, error), keep ...error) (value any, again bool, err error) {
	if nonce == "" {
		value, err = serve()
		return value, false, err
	}
	o, first := n.Enter(id, nonce)
	if !first {
		n.waiting.Add(1)
		defer n.waiting.Add(-1)
		select {
		case <-o.done:
			return o.value, true, o.err
		case <-ctx.Done():
			return nil, true, ctx.Err()
		}
	}
	ended := false
	defer func() {
		if !ended {
			n.End(o, nil, ErrFailedBefore) // serve panicked
		}
	}()
	value, err = serve()
	ended = true
	n.End(o, value, err, keep...)
	return value, false, err
}

// Enter is Once without blocking: it records a request and reports whether it is the first. If so,
// the caller serves it and calls [Nonces.End].
func (n *Nonces) Enter(id, nonce string) (o *Outcome, first bool) {
	sum := sha256.Sum256([]byte(id + "\x00" + nonce))
	return n.enter([16]byte(sum[:16]))
}

func (n *Nonces) enter(key [16]byte) (o *Outcome, first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	//mutant:repeats-wait-for-the-first,simulated-repeats
	if o, known := n.seen.Peek(key); known {
		return o, false
	}
	o = &Outcome{key: key, done: make(chan struct{})}
	n.seen.Add(key, o)
	return o, true
}

// End sets the result of the first request; for keep see Once.
func (n *Nonces) End(o *Outcome, value any, err error, keep ...error) {
	o.value = value
	if err != nil {
		o.value, o.err = nil, ErrFailedBefore
		for _, k := range keep {
			if errors.Is(err, k) {
				o.err = k
			}
		}
	}
	n.mu.Lock()
	if now, _ := n.seen.Peek(o.key); now == o && o.value == nil && o.err == nil {
		n.seen.Add(o.key, acknowledged)
	}
	n.mu.Unlock()
	close(o.done)
}

// Known returns the result of a request, if it is known.
func (o *Outcome) Known() (value any, err error, known bool) {
	select {
	case <-o.done:
		return o.value, o.err, true
	default:
		return nil, nil, false
	}
}

// Waiting returns the number of waiting repeats.
func (n *Nonces) Waiting() int { return int(n.waiting.Load()) }
