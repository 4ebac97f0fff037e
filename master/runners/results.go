package runners

import (
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
)

// Results hold those of runners that are too big for an event, until the
// client that waits for one fetches it. Salt's event would lose the value to
// max_event_size.
type Results struct {
	mu    sync.Mutex
	byJID *lru.Guarded[string, result] // nil: nothing is held
	bytes int
	timer *time.Timer
}

type result struct {
	owner string
	wire.Raw
}

const (
	// maxResults and maxResultBytes bound what is held; the oldest go first.
	maxResults     = 64
	maxResultBytes = 256 << 20
	// resultLife is how long a client has to fetch what the event announces.
	resultLife = 30 * time.Second
)

// Put holds the result of a call for its owner.
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

// Take gives a result to its owner, or to "", and forgets it.
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

// Clear forgets all; so nothing stays once no more results come.
func (r *Results) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byJID, r.bytes = nil, 0
	if r.timer != nil {
		r.timer.Stop()
	}
}
