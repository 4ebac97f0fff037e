package swarm

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/zmtp/peer"
)

// account counts what happens to the minions apart from their jobs.
type account struct {
	peer.Counts

	signedIn  firsts // minions whose sign-in was accepted, each once
	ready     firsts // minions that are subscribed and have sent their start event, each once
	up        atomic.Int64
	signIns   atomic.Int64 // accepted sign-ins
	refused   atomic.Int64 // sign-ins that the master refused: pending, denied, full, bad load
	rejected  atomic.Int64 // requests that the master did not acknowledge
	unread    atomic.Int64 // publications that could not be read
	timeouts  atomic.Int64 // requests without an answer in time
	abandoned atomic.Int64 // requests that were given up: start events, pillar; returns are in the jobs
	fallen    atomic.Int64 // minions that died or left with a herd
}

// firsts counts minions that have reached a state, each once, and when.
type firsts struct {
	mu    sync.Mutex
	seen  bitset
	n     int
	last  time.Duration
	times histogram
}

// reached records i and reports whether it was the first time.
func (f *firsts) reached(i int, after time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.seen.add(i) {
		return false
	}
	f.n++
	f.last = max(f.last, after)
	f.times.add(after)
	return true
}

func (f *firsts) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

func (f *firsts) report() Phase {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Phase{Done: f.n, P50: Seconds(f.times.quantile(0.5)), P99: Seconds(f.times.quantile(0.99)), Last: Seconds(f.last)}
}
