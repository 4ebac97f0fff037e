package admission

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

const (
	// trustFor is how long an address stays trusted after the last authenticated
	// request from there. Python minions open a connection for each return, so a
	// minion that returns once in a long job still counts.
	trustFor = 12 * time.Hour
	// trustStep is how stale the time of an address may be, so that returns do
	// not reorder the list each.
	trustStep = time.Minute
	// maxTrusted bounds the addresses; the one that was silent longest goes.
	maxTrusted = 65536
)

// Addresses are the source addresses that authenticated requests came from
// lately. A new connection from there may send a large frame at once.
type Addresses struct {
	now func() time.Time
	max int

	mu    sync.RWMutex
	byIP  map[netip.Addr]*list.Element
	order *list.List // of trustedAddr, latest in front
}

type trustedAddr struct {
	addr netip.Addr
	last time.Time
}

// NewAddresses trusts none yet.
func NewAddresses(now func() time.Time) *Addresses {
	return &Addresses{now: now, max: maxTrusted, byIP: map[netip.Addr]*list.Element{}, order: list.New()}
}

// Has tells whether an address is trusted now.
func (t *Addresses) Has(a netip.Addr) bool { return t.within(a, trustFor) }

func (t *Addresses) within(a netip.Addr, d time.Duration) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	e := t.byIP[a]
	return e != nil && t.now().Sub(e.Value.(trustedAddr).last) <= d
}

// Note enters an address that an authenticated request came from.
func (t *Addresses) Note(a netip.Addr) {
	if !a.IsValid() || t.within(a, trustStep) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byIP[a]
	if e == nil {
		e = t.order.PushFront(nil)
		t.byIP[a] = e
	}
	e.Value = trustedAddr{a, t.now()}
	t.order.MoveToFront(e)
	if t.order.Len() > t.max {
		oldest := t.order.Remove(t.order.Back()).(trustedAddr)
		delete(t.byIP, oldest.addr)
	}
}
