package listener

import (
	"container/list"
	"net"
	"sync"

	"github.com/momtree/mom/internal/network"
)

const (
	// maxStrangers bounds the connections of strangers, and maxStrangersEach those from one
	// address. A further one closes the oldest that has no request in progress.
	maxStrangers     = 1024
	maxStrangersEach = 256
)

// Limiter bounds the open connections of a listener. A connection belongs to a user if its last
// request showed a valid token, otherwise to a stranger. It is safe for concurrent use.
type Limiter struct {
	users int // connections of users that do not count as strangers'
	// shared reports whether many clients use an address: a proxy.
	shared func(addr string) bool

	mu        sync.Mutex
	strangers int
	trusted   int
	by        map[string]*list.List // closable connections of strangers by block, oldest first
	count     map[string]int        // connections of strangers by block
}

// NewLimiter returns a limiter that exempts as many connections of users from the bounds for
// strangers. shared reports whether an address is that of a proxy, which has no bound of its own.
func NewLimiter(users int, shared func(addr string) bool) *Limiter {
	return &Limiter{users: users, shared: shared, by: map[string]*list.List{}, count: map[string]int{}}
}

// Conn is one connection. All methods but those of [net.Conn] accept a nil Conn, which a request
// without a connection has, and do nothing.
type Conn struct {
	net.Conn
	of    *Limiter
	block string // the part of the address that counts as one stranger
	many  bool   // it comes from a proxy

	// Guarded by the lock of the limiter.
	place  *list.Element // among the closable ones; nil: it is not closable
	busy   int           // requests in progress
	user   bool
	closed bool
}

// countedListener counts the connections that it accepts.
type countedListener struct {
	net.Listener
	of *Limiter
}

// Accept returns the next connection that fits. It closes the others.
func (l *countedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if t := l.of.add(c); t != nil {
			return t, nil
		}
		_ = c.Close() // all others have a request in progress
	}
}

// add counts a connection. It returns nil if the limit is reached.
func (t *Limiter) add(c net.Conn) *Conn {
	addr := HostOf(c.RemoteAddr().String())
	out := &Conn{Conn: c, of: t, block: network.Block(addr), many: t.shared(addr)}
	t.mu.Lock()
	var victim *Conn
	switch {
	//mutant:api-connections
	case !out.many && t.count[out.block] >= maxStrangersEach:
		victim = t.oldest(out.block)
	case t.strangers >= maxStrangers:
		victim = t.oldest(t.largest())
	default:
		t.enter(out)
		t.mu.Unlock()
		return out
	}
	if victim == nil {
		t.mu.Unlock()
		return nil
	}
	t.leave(victim)
	victim.closed = true
	t.enter(out)
	t.mu.Unlock()
	_ = victim.Conn.Close() // ends pending reads and writes
	return out
}

// oldest returns the connection of a block that has been idle the longest.
func (t *Limiter) oldest(block string) *Conn {
	l := t.by[block]
	if l == nil {
		return nil
	}
	return l.Front().Value.(*Conn)
}

// largest returns the block with the most closable connections.
func (t *Limiter) largest() string {
	most, at := 0, ""
	for block, l := range t.by {
		if l.Len() > most {
			most, at = l.Len(), block
		}
	}
	return at
}

func (t *Limiter) enter(c *Conn) {
	t.strangers++
	t.count[c.block]++
	t.queue(c)
}

func (t *Limiter) leave(c *Conn) {
	t.unqueue(c)
	t.strangers--
	if t.count[c.block]--; t.count[c.block] == 0 {
		delete(t.count, c.block)
	}
}

// queue makes a connection closable, as the youngest.
func (t *Limiter) queue(c *Conn) {
	l := t.by[c.block]
	if l == nil {
		l = list.New()
		t.by[c.block] = l
	}
	c.place = l.PushBack(c)
}

func (t *Limiter) unqueue(c *Conn) {
	if c.place == nil {
		return
	}
	l := t.by[c.block]
	if l.Remove(c.place); l.Len() == 0 {
		delete(t.by, c.block)
	}
	c.place = nil
}

// Begin keeps the limiter from closing the connection until the matching [Conn.End].
func (c *Conn) Begin() {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.busy++
	c.of.unqueue(c)
}

// End makes the connection closable again after the last [Conn.Begin].
func (c *Conn) End() {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.busy--; c.busy == 0 && !c.user && !c.closed {
		c.of.queue(c)
	}
}

// Trust records whether the last request on the connection showed a valid token.
func (c *Conn) Trust(valid bool) {
	if c == nil {
		return
	}
	t := c.of
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case c.closed || c.user == valid:
	case valid && t.trusted < t.users:
		t.leave(c)
		c.user = true
		t.trusted++
	case !valid:
		c.user = false
		t.trusted--
		t.enter(c)
		if c.busy > 0 {
			t.unqueue(c)
		}
	}
}

// Close implements [net.Conn].
func (c *Conn) Close() error {
	c.of.mu.Lock()
	if !c.closed {
		c.closed = true
		if c.user {
			c.of.trusted--
		} else {
			c.of.leave(c)
		}
	}
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// HostOf returns an address without its port.
func HostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}
