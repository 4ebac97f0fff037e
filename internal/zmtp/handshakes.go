package zmtp

import (
	"math"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// mostPatience is the factor by which the patience with silent peers may grow if honest ones
// are slow. It is at its maximum until enough peers have finished and shown how long they take:
// a crowd that connects to a machine whose disk stalls for a second or two is not cut.
//
//mutant:handshake-patience-of-a-stall
const mostPatience = 12

// The estimate of an honest peer's silence follows the slow ones: the first to finish are the
// fast ones of a crowd, and the others have not shown yet how long they take.
const (
	//mutant:handshake-patience-of-a-wave
	slower = 4 // divisor: this part of the difference to a slower peer counts at once
	//mutant:handshake-patience-of-a-wave-2
	faster    = 1024             // divisor: this part of the difference to a faster peer
	forgotten = 10 * time.Second // in this time the estimate moves halfway back to the initial one
	margin    = 6                // silent peers get the estimate times this
)

// handshakes is the table of connections that have not sent READY yet.
//
// It bounds how many are greeted at once, not how many connect: while it is full nothing is
// accepted, and new connections wait in the system's backlog. A place becomes free when a
// handshake ends. Only a silent peer gives way, if it has been silent for longer than those
// take that finish: the address with the most silent peers loses first, and within an address
// the longest silent peer. A peer that waits for us is never cut.
type handshakes struct {
	limit    int
	patience time.Duration // minimum patience with a silent peer while others wait
	evicted  atomic.Uint64
	waits    atomic.Uint64 // connections that had to wait for a place
	late     lateness      // of this process

	mu     sync.Mutex
	all    map[*ticket]struct{}
	freed  chan struct{} // one slot: a place has become free
	next   []*ticket     // the next to give way; each is checked again
	usual  time.Duration // estimated silence of slow peers that finished
	at     time.Time     // when the last of them finished
	closed bool
}

func (t *handshakes) open(limit int, patience time.Duration) {
	t.limit, t.patience = limit, patience
	t.all, t.freed = make(map[*ticket]struct{}), make(chan struct{}, 1)
	t.usual, t.at = t.unknown(), time.Now()
}

// unknown returns the initial estimate.
func (t *handshakes) unknown() time.Duration { return mostPatience * t.patience / margin }

// known returns the estimated silence of honest peers at now.
func (t *handshakes) known(now time.Time) time.Duration {
	left := math.Exp2(-float64(now.Sub(t.at)) / float64(forgotten))
	return t.unknown() + time.Duration(left*float64(t.usual-t.unknown()))
}

// learn updates the estimate with the silence of a peer that finished.
func (t *handshakes) learn(silence time.Duration, now time.Time) {
	part := time.Duration(faster)
	if t.usual = t.known(now); silence > t.usual {
		part = slower
	}
	t.usual, t.at = t.usual+(silence-t.usual)/part, now
}

// add waits for a place and takes it for a connection. It returns nil if the table was closed,
// and the connection with it.
func (t *handshakes) add(c net.Conn, addr netip.Addr, timeout time.Duration, stop <-chan struct{}) *ticket {
	k := newTicket(c, addr, timeout, &t.late)
	for waited := false; ; waited = true {
		wait, ok := t.enter(k)
		switch {
		case ok:
			return k
		case wait < 0:
			_ = c.Close()
			return nil
		}
		if !waited {
			t.waits.Add(1)
		}
		begun := time.Now()
		timer := time.NewTimer(wait)
		select {
		case <-t.freed:
		case <-timer.C:
			t.late.note(time.Since(begun) - wait)
		case <-stop:
		}
		timer.Stop()
	}
}

// enter takes a place if one is free or can be freed. Otherwise it returns how long until a
// silent peer may give way; negative means that the table is closed.
func (t *handshakes) enter(k *ticket) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return -1, false
	}
	//mutant:handshakes-at-once
	if len(t.all) >= t.limit {
		if wait, ok = t.evict(time.Now()); !ok {
			return wait, false
		}
	}
	t.all[k] = struct{}{}
	return 0, true
}

// remove removes a finished handshake; false means that it had been evicted.
func (t *handshakes) remove(k *ticket, finished bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, in := t.all[k]; !in {
		return false
	}
	t.drop(k)
	if finished {
		now := time.Now()
		t.learn(k.silence(now), now)
	}
	return true
}

// drop frees a place; t.mu is held.
func (t *handshakes) drop(k *ticket) {
	delete(t.all, k)
	select {
	case t.freed <- struct{}{}:
	default:
	}
}

// relieve closes a silent connection to free its descriptor; it returns false if there is no
// such connection.
func (t *handshakes) relieve() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.evict(time.Now())
	return ok
}

// evict closes the connection that must give way, if there is one. Otherwise it returns how
// long until the next check is useful; t.mu is held.
func (t *handshakes) evict(now time.Time) (wait time.Duration, ok bool) {
	patience := max(t.patience, min(max(margin*t.known(now), 10*t.late.get()), mostPatience*t.patience))
	for ranked := false; ; ranked = true {
		for len(t.next) > 0 {
			k := t.next[0]
			t.next[0] = nil
			t.next = t.next[1:]
			if _, in := t.all[k]; !in || !k.mute(now, patience) {
				continue
			}
			t.drop(k)
			_ = k.conn.Close() // its goroutine notices that and cleans up
			t.evicted.Add(1)
			return 0, true
		}
		if !ranked {
			t.next = t.rank(now, patience)
		}
		if len(t.next) == 0 {
			return max(patience/4, time.Millisecond), false
		}
	}
}

// rank lists the tickets that may give way, the first to go in front.
func (t *handshakes) rank(now time.Time, patience time.Duration) []*ticket {
	var list []place[*ticket]
	for k := range t.all {
		//mutant:waiting-handshakes-stay-2
		if k.idle(now, patience) {
			list = append(list, place[*ticket]{who: k, addr: k.addr, silent: k.silence(now)})
		}
	}
	return fairly(list)
}

func (t *handshakes) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all)
}

// closeAll closes all connections in the table and any that come later.
func (t *handshakes) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for k := range t.all {
		t.drop(k)
		_ = k.conn.Close()
	}
}
