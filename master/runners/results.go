package runners

import (
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
)

// Results holds runner results that exceed the size of an event, until the client fetches them.
// Salt would lose such a value to max_event_size.
type Results struct {
	mu    sync.Mutex
	byJID *lru.Guarded[string, result] // nil while empty
	bytes int
	timer *time.Timer
}

type result struct {
	owner string
	wire.Raw
}

const (
	// maxResults and maxResultBytes limit the stored results. The oldest are dropped first.
	maxResults     = 64
	maxResultBytes = 256 << 20
	// resultLife is how long a client can fetch the result after its event.
	resultLife = 30 * time.Second
)

// Put stores the result of a call for its owner.
func (r *Results) Put(jid, owner string, b wire.Raw) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byJID == nil {
		r.byJID = lru.NewGuarded(maxResults, func(_ string, gone result) { r.bytes -= len(gone.Raw) })
	}
	r.byJID.Remove(jid)
	for r.byJID.Len() > 0 && r.bytes+len(b) > maxResultBytes {
		r.byJID.RemoveOldest()
	}
	r.byJID.Add(jid, result{owner, b})
	r.bytes += len(b)
	if r.timer != nil {
		r.timer.Stop()
	}
	r.timer = time.AfterFunc(resultLife, r.Clear)
}

// Take returns and removes the result of a call if owner is its owner or "".
func (r *Results) Take(jid, owner string) (wire.Raw, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byJID == nil {
		return nil, false
	}
	b, ok := r.byJID.Peek(jid)
	if !ok || owner != "" && b.owner != owner {
		return nil, false
	}
	r.byJID.Remove(jid)
	return b.Raw, true
}

// Clear drops all results that are stored now.
func (r *Results) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byJID, r.bytes = nil, 0
	if r.timer != nil {
		r.timer.Stop()
	}
}
