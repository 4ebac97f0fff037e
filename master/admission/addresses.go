package admission

import (
	"net/netip"
	"time"

	"github.com/momtree/mom/internal/lru"
)

const (
	// trustFor is how long an address stays trusted after its last authenticated request.
	// Python minions open a connection for each return, which may be rare in a long job.
	trustFor = 12 * time.Hour
	// trustStep is how old the recorded time of an address may get, so that not every return
	// reorders the list.
	trustStep = time.Minute
	// maxTrusted bounds the addresses; the least recently used is dropped.
	maxTrusted = 65536
)

// Addresses holds the source addresses of recent authenticated requests. A new connection from one
// may send a large frame at once.
type Addresses struct {
	now  func() time.Time
	last *lru.Map[netip.Addr, time.Time] // authenticated request
}

// NewAddresses returns an empty set.
func NewAddresses(now func() time.Time) *Addresses {
	return &Addresses{now: now, last: lru.New[netip.Addr, time.Time](maxTrusted)}
}

// Has reports whether an address is trusted.
func (t *Addresses) Has(a netip.Addr) bool { return t.within(a, trustFor) }

func (t *Addresses) within(a netip.Addr, d time.Duration) bool {
	last, ok := t.last.Peek(a)
	return ok && t.now().Sub(last) <= d
}

// Note records an authenticated request from an address.
func (t *Addresses) Note(a netip.Addr) {
	if a.IsValid() && !t.within(a, trustStep) {
		t.last.Add(a, t.now())
	}
}
