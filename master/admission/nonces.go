package admission

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/momtree/mom/internal/lru"
)

// maxNonces bounds the requests that are remembered: some 150 bytes each, and what they
// were answered where that was not simply an acknowledgement.
const maxNonces = 65536

// ErrFailedBefore is what a repeat of a request is told that failed when it came first.
var ErrFailedBefore = errors.New("the same request failed when it came first")

// Nonces remember requests whose effect is not the same when they are served
// twice (events, announcements, a key given up). A stranger who has recorded one
// could send it again; returns are stored once by themselves. A peer makes a new
// nonce for each request, but may send the same bytes again when it heard no
// answer, so a repeat is answered like the first, and not before the first: an
// acknowledgement that overtakes the commit would promise what a crash takes back.
type Nonces struct {
	mu   sync.Mutex
	seen *lru.Guarded[[16]byte, *Outcome]

	waiting atomic.Int64 // repeats that wait for the first
}

// Outcome is what became of a request.
type Outcome struct {
	key   [16]byte
	done  chan struct{} // closed when it is known
	value any
	err   error
}

// acknowledged is the outcome of nearly all requests.
var acknowledged = func() *Outcome {
	o := &Outcome{done: make(chan struct{})}
	close(o.done)
	return o
}()

// NewNonces remembers nothing yet.
func NewNonces() *Nonces { return &Nonces{seen: lru.NewGuarded[[16]byte, *Outcome](maxNonces, nil)} }

// Once serves a request that has not been seen before, and gives what came of it to
// it and to all that repeat it; again tells that this is such a one, and that serve was
// not called. It waits for the first as long as ctx allows: what it cannot wait for is
// not acknowledged. Of errors those in keep are given to repeats as they are, the
// others as [ErrFailedBefore]. Requests without nonce, of peers of protocol 0 and 1,
// cannot be told apart.
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
			n.End(o, nil, ErrFailedBefore) // it panics
		}
	}()
	value, err = serve()
	ended = true
	n.End(o, value, err, keep...)
	return value, false, err
}

// Enter is Once for who cannot wait: it notes a request, and tells whether it is the
// first of its kind. If so it has to be served, and [Nonces.End] is told what came of it.
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

// End tells those who repeat a request what came of the first; keep is that of Once.
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

// Known gives what came of a request; false: it is not known as yet.
func (o *Outcome) Known() (value any, err error, known bool) {
	select {
	case <-o.done:
		return o.value, o.err, true
	default:
		return nil, nil, false
	}
}

// Waiting counts the repeats that wait for the first of their kind.
func (n *Nonces) Waiting() int { return int(n.waiting.Load()) }
