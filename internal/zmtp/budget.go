package zmtp

import (
	"container/list"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// budget limits the memory that the connections of a socket share for received messages: from
// the first byte of a body to the reply. A message that finds no room waits, and TCP makes its
// peer wait: the address that holds least is served first, and within an address in order of
// arrival. One message at a time may exceed the limit, so that even the largest can be received
// and partly received ones never deadlock. The bytes held are thus at most the limit and one
// message.
//
// A holder that stops sending in the middle of a message is cut while others wait, the longest
// silent first.
type budget struct {
	limit    int64
	patience time.Duration // with such a holder
	waits    atomic.Uint64
	spent    *spent // counts the bytes that were given back

	mu      sync.Mutex
	used    int64
	of      map[netip.Addr]int64 // bytes held, by address
	over    *charge              // may exceed the limit; nil means none
	waiting list.List            // of *claim
	coming  map[*charge]struct{}
}

// charge is the part of a budget that one message holds.
type charge struct {
	b     *budget
	peer  *guard // the sender
	addr  netip.Addr
	n     int64
	given bool

	atWork bool // being processed; the peer may send more
}

// claim is a charge that waits to grow.
type claim struct {
	c  *charge
	n  int64
	ok chan struct{} // closed when it is granted
}

// begin creates the charge of a message that is about to be received.
func (b *budget) begin(g *guard) *charge {
	c := &charge{b: b, peer: g, addr: sourceAddr(g.Conn)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.coming == nil {
		b.coming, b.of = map[*charge]struct{}{}, map[netip.Addr]int64{}
	}
	b.coming[c] = struct{}{}
	return c
}

// arrived records that the message is complete: the charge stays, but its peer is no longer
// waited for.
func (c *charge) arrived() {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	delete(c.b.coming, c)
}

// grow takes n more bytes. It waits for room until wait has passed or the connection is dead,
// and returns ErrBudget if there is no room.
func (c *charge) grow(n int64, wait time.Duration, dead <-chan struct{}) error {
	b := c.b
	b.mu.Lock()
	x := &claim{c, n, make(chan struct{})}
	e := b.waiting.PushBack(x)
	b.serve()
	b.mu.Unlock()
	select {
	case <-x.ok:
		return nil
	default:
	}
	b.waits.Add(1)
	look := time.NewTicker(max(b.patience/4, time.Millisecond))
	defer look.Stop()
	end := time.NewTimer(wait)
	defer end.Stop()
	for {
		select {
		case <-x.ok:
			return nil
		case <-look.C:
			b.relieve(x)
			continue
		case <-end.C:
		case <-dead:
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		select {
		case <-x.ok: // granted at the last moment
			return nil
		default:
		}
		b.waiting.Remove(e)
		b.serve()
		return fmt.Errorf("%w: waited %v", ErrBudget, wait)
	}
}

// serve grants the claims that fit; b.mu is held.
func (b *budget) serve() {
	for e := b.first(); e != nil; e = b.first() {
		x := e.Value.(*claim)
		switch {
		case x.c == b.over:
		case b.used+x.n <= b.limit:
		//mutant:memory-limit-holds
		case b.over == nil:
			b.over = x.c
		default:
			return
		}
		b.waiting.Remove(e)
		b.add(x.c, x.n)
		close(x.ok)
	}
}

// first returns the next claim to serve: that of the message that may exceed the limit, or the
// one from the address that holds least.
func (b *budget) first() (next *list.Element) {
	least := int64(0)
	for e := b.waiting.Front(); e != nil; e = e.Next() {
		c := e.Value.(*claim).c
		if c == b.over {
			return e
		}
		if held := b.of[c.addr]; next == nil || held < least {
			next, least = e, held
		}
	}
	return next
}

// add adds n bytes to a charge; n may be negative.
func (b *budget) add(c *charge, n int64) {
	b.used += n
	c.n += n
	if b.of[c.addr] += n; b.of[c.addr] == 0 {
		delete(b.of, c.addr)
	}
}

// give gives back all that a message holds. It may be called again.
func (c *charge) give() {
	if c == nil {
		return
	}
	b := c.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.given {
		return
	}
	c.given = true
	if c.atWork {
		c.peer.atWork.Add(-c.n)
		select {
		case c.peer.freed <- struct{}{}:
		default:
		}
	}
	delete(b.coming, c)
	b.spent.add(c.n)
	b.add(c, -c.n)
	if b.over == c {
		b.over = nil
	}
	b.serve()
}

// relieve cuts the holder that has been silent longest, if that is too long. Only the next
// claim to serve checks that.
func (b *budget) relieve(x *claim) {
	b.mu.Lock()
	if e := b.first(); e == nil || e.Value != x {
		b.mu.Unlock()
		return
	}
	now := time.Now()
	var worst *charge
	longest := time.Duration(0)
	for c := range b.coming {
		if s := c.peer.silence(now); c.n > 0 && s >= b.patience && s > longest {
			worst, longest = c, s
		}
	}
	b.mu.Unlock()
	//mutant:stalled-messages-free-memory
	if worst != nil {
		worst.peer.cut(fmt.Errorf("%w: silent for %v in the middle of a message while others waited", ErrBudget, longest.Round(time.Millisecond)))
	}
}

// held returns the bytes held.
func (b *budget) held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
