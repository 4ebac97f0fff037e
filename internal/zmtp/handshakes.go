package zmtp

import (
	"math"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// mostPatience is by how much the patience with silent peers may grow where the honest
// ones take long. It is as large until many have finished and shown how long they take:
// a herd that starts on a machine whose disk stands still for a second or two is not cut.
//
//mutant:handshake-patience-of-a-stall
const mostPatience = 12

// What is known of the silence of honest peers follows the slow ones: those that finish
// first are the fast ones of a herd, and the others have not shown yet how long they take.
const (
	//mutant:handshake-patience-of-a-wave
	slower = 4 // of the difference to one that took longer, this part counts at once
	//mutant:handshake-patience-of-a-wave-2
	faster    = 1024             // to one that took less, this part
	forgotten = 10 * time.Second // half of it is forgotten in this time
	margin    = 6                // silent peers have as many times of it
)

// handshakes is the table of connections that have not said READY yet.
//
// It is a bound on how many are greeted at once, not on how many come: while it is
// full nobody is accepted, and who comes waits in the system's backlog. A place
// becomes free when a greeting ends. Only a peer that is itself silent, and has been
// for longer than those take that finish, gives way: an address with many silent
// peers loses first, and of one address the longest silent. A peer that waits for
// us is never cut off.
type handshakes struct {
	limit    int
	patience time.Duration // with a silent peer while others wait, at least
	evicted  atomic.Uint64
	waits    atomic.Uint64 // connections for which there was no place at once
	late     lateness      // of this process

	mu     sync.Mutex
	all    map[*ticket]struct{}
	freed  chan struct{} // one slot: a place has become free
	next   []*ticket     // who gives way next; each is looked at again
	usual  time.Duration // the silence of the slow ones among those that finished
	at     time.Time     // when the last of them did
	closed bool
}

func (t *handshakes) open(limit int, patience time.Duration) {
	t.limit, t.patience = limit, patience
	t.all, t.freed = make(map[*ticket]struct{}), make(chan struct{}, 1)
	t.usual, t.at = t.unknown(), time.Now()
}

// unknown is what counts as usual as long as nobody has shown it.
func (t *handshakes) unknown() time.Duration { return mostPatience * t.patience / margin }

// known is what is known of the silence of honest peers now.
func (t *handshakes) known(now time.Time) time.Duration {
	left := math.Exp2(-float64(now.Sub(t.at)) / float64(forgotten))
	return t.unknown() + time.Duration(left*float64(t.usual-t.unknown()))
}

// learn notes how long one was silent that finished.
func (t *handshakes) learn(silence time.Duration, now time.Time) {
	part := time.Duration(faster)
	if t.usual = t.known(now); silence > t.usual {
		part = slower
	}
	t.usual, t.at = t.usual+(silence-t.usual)/part, now
}

// add takes a place for a connection, and waits until there is one. nil means that
// the table was closed, and the connection with it.
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

// enter takes a place if there is one or can be made one. Else it says how long it
// takes until a silent peer may give way; below 0: never, the table is closed.
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

// remove takes a finished handshake out; false means it had been evicted.
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

// relieve closes a silent one for the sake of its descriptor; false: there is none.
func (t *handshakes) relieve() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.evict(time.Now())
	return ok
}

// evict closes the connection that is to give way, if there is one, and says
// otherwise how long until it is worth another look; t.mu is held.
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
			_ = k.conn.Close() // its goroutine sees that and cleans up
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

// rank lists those that may give way, the first to go in front.
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

// closeAll closes all of them and any that come later.
func (t *handshakes) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for k := range t.all {
		t.drop(k)
		_ = k.conn.Close()
	}
}
