package api

import (
	"context"
	"sync"
	"time"
)

// quota is a number of places that many share, such as requests in progress or bytes. Nobody
// holds more than a share, so that one client leaves the rest to others. It is safe for
// concurrent use.
type quota struct {
	total, share int

	mu    sync.Mutex
	taken int
	by    map[string]int // places by holder, without those who hold none
	freed chan struct{}  // closed at the next release
}

// newQuota returns a quota of total places, of which each holder may have share.
func newQuota(total, share int) *quota {
	return &quota{total: total, share: share, by: map[string]int{}, freed: make(chan struct{})}
}

// tryAcquire takes n places for a holder. It takes none and returns false if fewer are free.
func (q *quota) tryAcquire(holder string, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.taken+n > q.total || q.by[holder]+n > q.share {
		return false
	}
	q.taken += n
	q.by[holder] += n
	return true
}

// acquire is tryAcquire that waits for free places, no longer than wait.
func (q *quota) acquire(ctx context.Context, holder string, n int, wait time.Duration) bool {
	if q.tryAcquire(holder, n) {
		return true
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	for {
		q.mu.Lock()
		freed := q.freed
		q.mu.Unlock()
		if q.tryAcquire(holder, n) {
			return true
		}
		select {
		case <-freed:
		case <-t.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// release returns n places.
func (q *quota) release(holder string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken -= n
	if q.by[holder] -= n; q.by[holder] <= 0 {
		delete(q.by, holder)
	}
	close(q.freed)
	q.freed = make(chan struct{})
}

// inUse returns the number of places that are taken.
func (q *quota) inUse() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken
}
