package keys

import (
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
)

// unseenFor is how long a pending key must not have signed in before it may be dropped
// for another. A minion that waits for its acceptance signs in every
// acceptance_wait_time, 10 s as a rule.
const unseenFor = time.Hour

// waiters knows when each pending key has signed in last.
type waiters struct {
	mu   sync.Mutex
	last *lru.Guarded[string, time.Time] // sign-in; max_pending_keys bounds the keys
}

// newWaiters takes ids for seen now: what was before the start is not known.
func newWaiters(ids []string, now time.Time) *waiters {
	w := &waiters{last: lru.NewGuarded[string, time.Time](lru.Unbounded, nil)}
	for _, id := range ids {
		w.seen(id, now)
	}
	return w
}

// seen notes a sign-in of a pending key.
func (w *waiters) seen(id string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last.Add(id, now)
}

// forget drops an id that is pending no more.
func (w *waiters) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last.Remove(id)
}

// stale takes out the pending key that has not signed in for the longest time, if that
// is long enough.
func (w *waiters) stale(now time.Time, pending func(id string) bool) (id string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		id, last, ok := w.last.GetOldest()
		here := ok && pending(id)
		if !ok || here && now.Sub(last) < unseenFor {
			return "", false
		}
		w.last.Remove(id)
		if here {
			return id, true
		}
	}
}
