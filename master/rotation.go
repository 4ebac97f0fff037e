package master

import (
	"sync"
	"time"
)

// rotation says when the shared key has to be renewed because somebody who knows it is not to
// read on. The zero value: not at all.
type rotation struct {
	mu sync.Mutex
	at time.Time // at the latest; the zero time: not
	on bool
}

// now wants it before the next publication.
func (r *rotation) now() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on, r.at = true, time.Time{}
}

// soon wants it within d of the first such wish: guests leave one after the other, and each
// new key has all peers sign in again.
func (r *rotation) soon(now time.Time, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.on {
		r.on, r.at = true, now.Add(d)
	}
}

// due tells, once, whether it is time.
func (r *rotation) due(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.on || now.Before(r.at) {
		return false
	}
	r.on = false
	return true
}
