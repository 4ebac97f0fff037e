package runners

import (
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Results hold those of runners that are too big for an event, until the
// client that waits for one fetches it. Salt's event would lose the value to
// max_event_size.
type Results struct {
	mu    sync.Mutex
	byJID map[string]result
	order []string
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
		r.byJID = map[string]result{}
	}
	r.drop(jid)
	for len(r.order) > 0 && (len(r.order) >= maxResults || r.bytes+len(b) > maxResultBytes) {
		r.drop(r.order[0])
	}
	r.byJID[jid], r.bytes = result{owner, b}, r.bytes+len(b)
	r.order = append(r.order, jid)
	if r.timer != nil {
		r.timer.Stop()
	}
	r.timer = time.AfterFunc(resultLife, r.Clear)
}

// Take gives a result to its owner, or to "", and forgets it.
func (r *Results) Take(jid, owner string) (wire.Raw, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, ok := r.byJID[jid]
	if !ok || owner != "" && b.owner != owner {
		return nil, false
	}
	r.drop(jid)
	return b.Raw, true
}

// drop is called with mu held.
func (r *Results) drop(jid string) {
	b, ok := r.byJID[jid]
	if !ok {
		return
	}
	delete(r.byJID, jid)
	r.bytes -= len(b.Raw)
	for i, id := range r.order {
		if id == jid {
			r.order = append(r.order[:i], r.order[i+1:]...)
			return
		}
	}
}

// Clear forgets all; so nothing stays once no more results come.
func (r *Results) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byJID, r.order, r.bytes = nil, nil, 0
	if r.timer != nil {
		r.timer.Stop()
	}
}
