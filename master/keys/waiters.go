package keys

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
)

const (
	// unseenFor is how long a pending key must not have signed in before any other may replace
	// it. A waiting minion signs in every acceptance_wait_time, 10 s by default.
	unseenFor = time.Hour
	// quietFor is the same if all sources hold equally many.
	quietFor = 5 * time.Minute
	// newKeys and newKeysPerSecond limit the new keys of one source: the burst, and the rate.
	newKeys          = 1000
	newKeysPerSecond = 10
	// maxSources bounds the sources with a known rate.
	maxSources = 65536
)

// waiters shares the places for pending keys among their sources, which are addresses or networks. The
// source of a key is that of its first sign-in; for a key that was pending at the start, that of its
// next one.
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

// former is a key that was removed to make room.
type former struct {
	sum keySum
	at  time.Time
}

// newWaiters returns waiters in which ids signed in now.
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

// seen records a sign-in of a pending key.
func (w *waiters) seen(id string, from netip.Prefix, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(id, from, now)
}

// add is seen; the caller holds the lock. A key keeps its source: otherwise whoever knows a public
// key could count it as one of many of their own.
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

// forget removes an id that is no longer pending.
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

// place reserves a place for a new key, before it is stored. drop is the pending key to remove for it,
// or "". The error says why there is no place.
func (w *waiters) place(id string, sum keySum, from netip.Prefix, now time.Time) (drop string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	//mutant:pending-bound
	if w.max > 0 {
		//mutant:pending-exchanged
		if f, ok := w.gone.Peek(id); ok && f.sum != sum && now.Sub(f.at) < unseenFor {
			return "", fmt.Errorf("another key of this id was removed less than %s ago", unseenFor)
		}
		if drop, err = w.room(from, now); err != nil {
			return "", err
		}
		if !w.mayAdd(from, now) {
			return "", fmt.Errorf("%s has sent more than %d new keys, and more than %d a second since", from, newKeys, newKeysPerSecond)
		}
	}
	w.remove(drop)
	w.add(id, from, now)
	return drop, nil
}

// room finds the key to remove for a new one of a source. A quarter of the places is reserved from
// each source for the others. If all are taken, it picks a key not seen for an hour, or else the one
// not seen for longest of the source that holds most, unless that source would hold no more than
// the new key's.
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

// oldest returns the key not seen for longest among the matching sources.
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

// mayAdd takes a token from a source's rate limiter.
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

// madeRoom records a removed key: for a while no other key takes its place under that id, as an
// operator may have looked at it.
func (w *waiters) madeRoom(id string, sum keySum, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone.Add(id, former{sum, now})
}
