package keys

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
)

const (
	// unseenFor is how long a pending key must not have signed in before it may make room
	// for any other. A minion that waits for its acceptance signs in every
	// acceptance_wait_time, 10 s by default.
	unseenFor = time.Hour
	// quietFor is the same where all sources hold equally many.
	quietFor = 5 * time.Minute
	// newKeys and newKeysPerSecond bound the new keys of one source: so many at once, then so
	// many a second.
	newKeys          = 1000
	newKeysPerSecond = 10
	// maxSources bounds the sources whose rate is known.
	maxSources = 65536
)

// waiters shares the places for pending keys among the sources that they come from. The
// source is that of the first sign-in; it is unknown for a key that was there at the start,
// until its minion signs in again. A source is an address or a network.
type waiters struct {
	max int // places; 0: no limit

	mu    sync.Mutex
	from  map[string]netip.Prefix                          // by id
	by    map[netip.Prefix]*lru.Guarded[string, time.Time] // last sign-in by id, per source
	rates *lru.Guarded[netip.Prefix, rate]                 //
	gone  *lru.Guarded[string, former]                     // keys that made room lately
}

// rate is a token bucket for new keys.
type rate struct {
	left float64
	at   time.Time
}

// former is a key that made room.
type former struct {
	sum keySum
	at  time.Time
}

// newWaiters counts ids as seen now: earlier sign-ins are not known.
func newWaiters(limit int, ids []string, now time.Time) *waiters {
	w := &waiters{
		max: limit, from: map[string]netip.Prefix{}, by: map[netip.Prefix]*lru.Guarded[string, time.Time]{},
		rates: lru.NewGuarded[netip.Prefix, rate](maxSources, nil), gone: lru.NewGuarded[string, former](max(limit, 1), nil),
	}
	for _, id := range ids {
		w.add(id, netip.Prefix{}, now)
	}
	return w
}

// seen notes a sign-in of a pending key.
func (w *waiters) seen(id string, from netip.Prefix, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(id, from, now)
}

// add is seen with the lock held. A key keeps its source: otherwise anybody who knows a
// public key could make it one of his own many.
func (w *waiters) add(id string, from netip.Prefix, now time.Time) {
	was, known := w.from[id]
	//mutant:pending-adopted
	if known && was.IsValid() {
		from = was
	}
	if known && was != from {
		w.remove(id)
	}
	if w.by[from] == nil {
		w.by[from] = lru.NewGuarded[string, time.Time](lru.Unbounded, nil)
	}
	w.by[from].Add(id, now)
	w.from[id] = from
}

// forget drops an id that is no longer pending.
func (w *waiters) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remove(id)
}

func (w *waiters) remove(id string) {
	from, ok := w.from[id]
	if !ok {
		return
	}
	delete(w.from, id)
	w.by[from].Remove(id)
	if w.by[from].Len() == 0 {
		delete(w.by, from)
	}
}

// place takes a place for a new key, before it is stored. drop is the pending key that has to
// make room, "" for none. The error says why there is no place.
func (w *waiters) place(id string, sum keySum, from netip.Prefix, now time.Time) (drop string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	//mutant:pending-bound
	if w.max > 0 {
		//mutant:pending-exchanged
		if f, ok := w.gone.Peek(id); ok && f.sum != sum && now.Sub(f.at) < unseenFor {
			return "", fmt.Errorf("another key of this id made room less than %s ago", unseenFor)
		}
		if drop, err = w.room(from, now); err != nil {
			return "", err
		}
		if !w.mayAdd(from, now) {
			return "", fmt.Errorf("%s has come with more than %d new keys, and more than %d a second since", from, newKeys, newKeysPerSecond)
		}
	}
	w.remove(drop)
	w.add(id, from, now)
	return drop, nil
}

// room finds the key that makes room for one of a source. A quarter of the places is kept from
// each source for the others. When all places are taken, the key that was not seen for an
// hour goes, or else the one not seen for the longest time of the source that holds the
// most: never one of a source that holds no more than the newcomer's would.
func (w *waiters) room(from netip.Prefix, now time.Time) (drop string, err error) {
	own := 0
	if l := w.by[from]; l != nil {
		own = l.Len()
	}
	//mutant:pending-share
	if full, share := len(w.from) >= w.max, w.max-w.max/4; !full && own < share {
		return "", nil
	}
	stale, last := w.oldest(func(netip.Prefix, int) bool { return true })
	//mutant:pending-key-of-a-connected-minion
	if stale != "" && now.Sub(last) >= unseenFor {
		return stale, nil
	}
	most := own
	for _, l := range w.by {
		most = max(most, l.Len())
	}
	if most > own {
		drop, last = w.oldest(func(_ netip.Prefix, n int) bool { return n == most })
		//mutant:pending-greediest
		if most > own+1 || now.Sub(last) >= quietFor {
			return drop, nil
		}
	}
	return "", fmt.Errorf("%d keys are pending, %d of them from %s: max_pending_keys allows no more", len(w.from), own, from)
}

// oldest gives the key that was not seen for the longest time among the sources that fit.
func (w *waiters) oldest(fits func(from netip.Prefix, n int) bool) (id string, last time.Time) {
	for from, l := range w.by {
		if !fits(from, l.Len()) {
			continue
		}
		if x, at, ok := l.GetOldest(); ok && (id == "" || at.Before(last)) {
			id, last = x, at
		}
	}
	return id, last
}

// mayAdd takes a token of a source's rate.
func (w *waiters) mayAdd(from netip.Prefix, now time.Time) bool {
	r, ok := w.rates.Get(from)
	if !ok {
		r = rate{left: newKeys, at: now}
	}
	r.left = min(r.left+max(0, now.Sub(r.at).Seconds())*newKeysPerSecond, newKeys)
	r.at = now
	//mutant:pending-rate
	ok = r.left >= 1
	if ok {
		r.left--
	}
	w.rates.Add(from, r)
	return ok
}

// madeRoom remembers a key that made room: while an operator may have looked at it, no other
// key takes its place under that id.
func (w *waiters) madeRoom(id string, sum keySum, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone.Add(id, former{sum, now})
}
