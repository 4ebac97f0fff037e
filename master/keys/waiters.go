package keys

import (
	"container/list"
	"sync"
	"time"
)

// unseenFor is how long a pending key must not have signed in before it may be dropped
// for another. A minion that waits for its acceptance signs in every
// acceptance_wait_time, 10 s as a rule.
const unseenFor = time.Hour

// waiters knows when each pending key has signed in last.
type waiters struct {
	mu    sync.Mutex
	order list.List // of waiter, the latest in front
	byID  map[string]*list.Element
}

type waiter struct {
	id   string
	last time.Time
}

// newWaiters takes ids for seen now: what was before the start is not known.
func newWaiters(ids []string, now time.Time) *waiters {
	w := &waiters{byID: make(map[string]*list.Element, len(ids))}
	for _, id := range ids {
		w.seen(id, now)
	}
	return w
}

// seen notes a sign-in of a pending key.
func (w *waiters) seen(id string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.byID[id]
	if e == nil {
		e = w.order.PushFront(nil)
		w.byID[id] = e
	}
	e.Value = waiter{id, now}
	w.order.MoveToFront(e)
}

// forget drops an id that is pending no more.
func (w *waiters) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.byID[id]; e != nil {
		w.order.Remove(e)
		delete(w.byID, id)
	}
}

// stale takes out the pending key that has not signed in for the longest time, if that
// is long enough.
func (w *waiters) stale(now time.Time, pending func(id string) bool) (id string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for e := w.order.Back(); e != nil; e = w.order.Back() {
		x := e.Value.(waiter)
		here := pending(x.id)
		if here && now.Sub(x.last) < unseenFor {
			return "", false
		}
		w.order.Remove(e)
		delete(w.byID, x.id)
		if here {
			return x.id, true
		}
	}
	return "", false
}
