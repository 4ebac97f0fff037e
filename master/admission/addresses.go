package admission

import (
	"net/netip"
	"time"

	"github.com/momtree/mom/internal/lru"
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
	now  func() time.Time
	last *lru.Map[netip.Addr, time.Time] // authenticated request
}

// NewAddresses trusts none yet.
func NewAddresses(now func() time.Time) *Addresses {
	return &Addresses{now: now, last: lru.New[netip.Addr, time.Time](maxTrusted)}
}

// Has tells whether an address is trusted now.
func (t *Addresses) Has(a netip.Addr) bool { return t.within(a, trustFor) }

func (t *Addresses) within(a netip.Addr, d time.Duration) bool {
	last, ok := t.last.Peek(a)
	return ok && t.now().Sub(last) <= d
}

// Note enters an address that an authenticated request came from.
func (t *Addresses) Note(a netip.Addr) {
	if a.IsValid() && !t.within(a, trustStep) {
		t.last.Add(a, t.now())
	}
}
