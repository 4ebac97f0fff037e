package cluster

import (
	"context"
	"slices"
	"sync"

	"github.com/momtree/mom/internal/wire"
)

// maxWaiting and maxWaitingBytes bound the requests that wait in a lane. Beyond them the oldest is
// dropped and counted; the other top then learns of the job from its nodes.
const (
	maxWaiting      = 512
	maxWaitingBytes = 8 << 20
	// maxTries is how often a job is passed to a top that cannot store it, once a second.
	maxTries = 600
)

// request is a load for one other top.
type request struct {
	jid   string
	load  *wire.Map
	size  int
	full  int           // how often the other top had no room for it
	tried chan struct{} // closed after the first attempt, or when it is dropped
	once  sync.Once
}

func newRequest(jid string, load *wire.Map) *request {
	r := &request{jid: jid, load: load, tried: make(chan struct{})}
	load.Range(func(_, v any) bool {
		if raw, ok := v.(wire.Raw); ok {
			r.size += len(raw)
		}
		return true
	})
	return r
}

func (r *request) done() { r.once.Do(func() { close(r.tried) }) }

// lane is a queue of requests that are sent one at a time, in order.
type lane struct {
	wake chan struct{}

	mu      sync.Mutex
	waiting []*request
	bytes   int
	dropped uint64
}

func newLane() *lane { return &lane{wake: make(chan struct{}, 1)} }

func (a *lane) ring() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *lane) push(r *request) {
	a.mu.Lock()
	for len(a.waiting) > 0 && (len(a.waiting) >= maxWaiting || a.bytes+r.size > maxWaitingBytes) {
		a.waiting[0].done()
		a.bytes -= a.waiting[0].size
		a.waiting = slices.Delete(a.waiting, 0, 1)
		a.dropped++
	}
	a.waiting = append(a.waiting, r)
	a.bytes += r.size
	a.mu.Unlock()
	a.ring()
}

// first returns the oldest request, which stays queued.
func (a *lane) first() *request {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == 0 {
		return nil
	}
	return a.waiting[0]
}

// remove removes a request that was answered, or was not taken in all its tries.
func (a *lane) remove(r *request, dropped bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.waiting, r); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
		a.bytes -= r.size
		if dropped {
			a.dropped++
		}
	}
}

func (a *lane) size() (waiting int, dropped uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.waiting), a.dropped
}

// run sends requests while up returns true. send reports that a request must be sent again later.
func (a *lane) run(ctx context.Context, up func() bool, send func(ctx context.Context, r *request) (again bool)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
		}
		for up() && ctx.Err() == nil {
			r := a.first()
			if r == nil {
				break
			}
			again := send(ctx, r)
			r.done()
			if again && r.full < maxTries {
				break
			}
			a.remove(r, again)
		}
	}
}
