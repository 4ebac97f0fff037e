package zmtp

import (
	"container/list"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// budget is memory that the connections of a socket share, for what they have sent:
// from the first byte of a body to the reply. Who finds no room waits, and TCP makes its
// peer wait: the address that holds least goes first, and of one address who came first.
// One message at a time may go beyond the limit, so that the largest is received in the
// end and half-received ones never wait for each other in a ring. What is held is thus
// at most the limit and one message.
//
// A holder that has stopped sending in the middle of a message is cut while others
// wait, the longest silent first.
type budget struct {
	limit    int64
	patience time.Duration // with such a holder
	waits    atomic.Uint64
	spent    *spent // what was given back

	mu      sync.Mutex
	used    int64
	of      map[netip.Addr]int64 // of it
	over    *charge              // may go beyond the limit; nil: nobody does
	waiting list.List            // of *claim
	coming  map[*charge]struct{}
}

// charge is what one message holds of a budget.
type charge struct {
	b     *budget
	peer  *guard // who sends it
	addr  netip.Addr
	n     int64
	given bool

	atWork bool // somebody works on it, and the peer may send more
}

// claim is a charge that waits to grow.
type claim struct {
	c  *charge
	n  int64
	ok chan struct{} // closed when it is granted
}

// begin makes the charge of a message that is about to be received.
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

// arrived ends the reception: the charge stays, its peer is not waited for any more.
func (c *charge) arrived() {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	delete(c.b.coming, c)
}

// grow takes n more bytes, and waits for room at most that long or until the
// connection is dead. ErrBudget means that there was none.
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
		case <-x.ok: // just then
			return nil
		default:
		}
		b.waiting.Remove(e)
		b.serve()
		return fmt.Errorf("%w: waited %v", ErrBudget, wait)
	}
}

// serve grants what there is room for; b.mu is held.
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

// first is who is served next: the message that may go beyond the limit, or who of
// those that wait comes from the address that holds least.
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

// add enters n more bytes, or fewer, for a message.
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

// relieve cuts the holder that has been silent for the longest time, if one has been
// for too long. Of those that wait the one that is served next looks.
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

// held is how much is held.
func (b *budget) held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
