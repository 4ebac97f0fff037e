package zmtp

import (
	"container/list"
	"net"
	"sync"
	"sync/atomic"
)

// handshakes is the table of connections that have not said READY yet. When it
// is full the oldest goes: refusing the newest would let mute connections lock
// honest ones out for the whole handshake timeout.
type handshakes struct {
	limit   int
	evicted atomic.Uint64

	mu     sync.Mutex
	order  list.List // of *ticket, oldest first
	closed bool
}

// ticket is a place in the table.
type ticket struct {
	conn net.Conn
	at   *list.Element // nil: no longer in the table
}

func (t *handshakes) add(c net.Conn) *ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &ticket{conn: c}
	if t.closed {
		_ = c.Close()
		return k
	}
	if t.order.Len() >= t.limit {
		t.evict()
	}
	k.at = t.order.PushBack(k)
	return k
}

// remove takes a finished handshake out; false means it had been evicted.
func (t *handshakes) remove(k *ticket) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k.at == nil {
		return false
	}
	t.order.Remove(k.at)
	k.at = nil
	return true
}

func (t *handshakes) evictOldest() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.evict()
}

func (t *handshakes) evict() {
	e := t.order.Front()
	if e == nil {
		return
	}
	k := t.order.Remove(e).(*ticket)
	k.at = nil
	_ = k.conn.Close() // its goroutine sees that and cleans up
	t.evicted.Add(1)
}

func (t *handshakes) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.order.Len()
}

// closeAll closes all of them and any that come later.
func (t *handshakes) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for t.order.Len() > 0 {
		k := t.order.Remove(t.order.Front()).(*ticket)
		k.at = nil
		_ = k.conn.Close()
	}
}
