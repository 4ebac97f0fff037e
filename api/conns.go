package api

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"sync"

	"github.com/momtree/mom/internal/netblock"
)

const (
	// maxStrangers bounds the connections of those who have not shown a valid token, and
	// maxStrangersEach those from one address. A further one closes the oldest that does
	// not have a request at work.
	maxStrangers     = 1024
	maxStrangersEach = 256
)

// conns are the open connections of a listener. Connections whose last request showed a
// valid token are the users'; the others are strangers', who make room for each other.
type conns struct {
	users int // how many connections of users are kept out of the bounds for strangers
	// shared reports whether an address stands for many: a proxy.
	shared func(addr string) bool

	mu        sync.Mutex
	strangers int
	trusted   int
	by        map[string]*list.List // idle and waiting connections of strangers by block, the oldest in front
	count     map[string]int        // connections of strangers by block
}

func newConns(users int, shared func(string) bool) *conns {
	return &conns{users: users, shared: shared, by: map[string]*list.List{}, count: map[string]int{}}
}

// conn is one connection.
type conn struct {
	net.Conn
	of    *conns
	block string
	many  bool // it comes from a proxy, whose connections have no bound by address

	// Under the lock of conns.
	place  *list.Element // among those that may be closed; nil: it may not
	busy   int           // requests at work
	user   bool
	closed bool
}

// listen counts the connections of a listener.
func (t *conns) listen(ln net.Listener) net.Listener { return &countedListener{ln, t} }

type countedListener struct {
	net.Listener
	of *conns
}

// Accept returns the next connection that there is room for.
func (l *countedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if t := l.of.add(c); t != nil {
			return t, nil
		}
		_ = c.Close() // all others have a request at work
	}
}

// add counts a connection. It returns nil when the limit is reached.
func (t *conns) add(c net.Conn) *conn {
	addr := hostOf(c.RemoteAddr().String())
	out := &conn{Conn: c, of: t, block: netblock.Of(addr), many: t.shared(addr)}
	t.mu.Lock()
	var victim *conn
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

// oldest is the connection of a block that has waited the longest.
func (t *conns) oldest(block string) *conn {
	l := t.by[block]
	if l == nil {
		return nil
	}
	return l.Front().Value.(*conn)
}

// largest is the block with the most connections that may be closed.
func (t *conns) largest() string {
	most, at := 0, ""
	for block, l := range t.by {
		if l.Len() > most {
			most, at = l.Len(), block
		}
	}
	return at
}

func (t *conns) enter(c *conn) {
	t.strangers++
	t.count[c.block]++
	t.queue(c)
}

func (t *conns) leave(c *conn) {
	t.unqueue(c)
	t.strangers--
	if t.count[c.block]--; t.count[c.block] == 0 {
		delete(t.count, c.block)
	}
}

// queue puts a connection behind those that may be closed.
func (t *conns) queue(c *conn) {
	l := t.by[c.block]
	if l == nil {
		l = list.New()
		t.by[c.block] = l
	}
	c.place = l.PushBack(c)
}

func (t *conns) unqueue(c *conn) {
	if c.place == nil {
		return
	}
	l := t.by[c.block]
	if l.Remove(c.place); l.Len() == 0 {
		delete(t.by, c.block)
	}
	c.place = nil
}

// work keeps the connection from being closed until rest is called as often. A nil
// connection, such as in tests, has nothing to be kept from.
func (c *conn) work() {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.busy++
	c.of.unqueue(c)
}

// rest ends work: the connection is the youngest of those that may be closed.
func (c *conn) rest() {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.busy--; c.busy == 0 && !c.user && !c.closed {
		c.of.queue(c)
	}
}

// trust says whether the connection is that of a user, who has shown a valid token.
func (c *conn) trust(valid bool) {
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
func (c *conn) Close() error {
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

// link is what a request knows of its connection.
type link struct {
	conn *conn
	head *headScanner // nil in HTTP/2, which has no such heads
}

type linkKey struct{}

// withLink is a ConnContext of net/http.
func withLink(ctx context.Context, c net.Conn) context.Context {
	var l link
	for {
		switch v := c.(type) {
		case *scanned:
			l.head, c = &v.heads, v.Conn
		case *tls.Conn:
			c = v.NetConn()
		case *conn:
			l.conn = v
			return context.WithValue(ctx, linkKey{}, l)
		default:
			return context.WithValue(ctx, linkKey{}, l)
		}
	}
}

// linkOf returns the connection of a request, nil in tests without a listener.
func linkOf(ctx context.Context) link {
	l, _ := ctx.Value(linkKey{}).(link)
	return l
}
