package zmtp

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// strangers finds who gives its place to a new connection when all are taken: a peer
// that has not proved who it is ([Peer.Trust]) and has been idle for long. Idle is a peer
// of a ROUTER that has no request here, whatever else it says or has begun to say, and
// any of a PUB, from its first moment on.
//
// Peers of addresses from which nobody has ever proved anything go first; of these, those
// of the address with the most of them, and of one address the longest idle. The caller
// holds the lock of the host.
type strangers struct {
	patience time.Duration         // with a stranger, at least
	known    time.Duration         // the same with one of a known address; below 0: it never goes
	address  func(netip.Addr) bool // is known; nil: none is

	next   []*Peer       // who goes next; each is looked at again
	barren time.Duration // when nobody was found, on the clock of epoch
}

// lookAgain is how long it is believed that nobody can go: a look costs as much as there
// are peers.
const lookAgain = 50 * time.Millisecond

// rest notes that a peer has become idle.
func (p *Peer) rest() { p.rested.Store(int64(time.Since(epoch))) }

// idle is for how long a peer that has not proved who it is has had nothing of ours to
// wait for; below 0: it is trusted, or waits for us.
func (p *Peer) idle(now time.Duration) time.Duration {
	if p.guard.trusted.Load() || !p.reading.Load() || p.guard.paused.Load() || len(p.credit) > 1 {
		return -1
	}
	return now - time.Duration(p.rested.Load())
}

// pick gives the peer that is to go, nil if there is none.
func (s *strangers) pick(peers map[uint64]*Peer) *Peer {
	now := time.Since(epoch)
	for ranked := false; ; ranked = true {
		for len(s.next) > 0 {
			p := s.next[0]
			s.next[0] = nil
			s.next = s.next[1:]
			if peers[p.id] == p && p.idle(now) >= s.patience && !unread(p.guard.Conn) {
				return p
			}
		}
		if ranked || now-s.barren < lookAgain && s.barren != 0 {
			return nil
		}
		if s.next = s.rank(peers, now); len(s.next) == 0 {
			s.barren = now
			return nil
		}
	}
}

// rank lists who may go, the first to go in front.
func (s *strangers) rank(peers map[uint64]*Peer, now time.Duration) []*Peer {
	var list []place[*Peer]
	known := map[netip.Addr]bool{}
	for _, p := range peers {
		idle := p.idle(now)
		if idle < s.patience {
			continue
		}
		addr := p.Source()
		is, seen := known[addr]
		if !seen {
			is = s.address != nil && s.address(addr)
			known[addr] = is
		}
		if is && (s.known < 0 || idle < s.known) {
			continue
		}
		list = append(list, place[*Peer]{who: p, addr: addr, silent: idle, known: is})
	}
	return fairly(list)
}

// place is one that may have to give its place to another.
type place[T any] struct {
	who    T
	addr   netip.Addr
	silent time.Duration
	known  bool // goes after all that are not
	behind int
}

// fairly puts those that may give way into their order: whoever has the most silent
// ones beside it, of those of its address that have been silent for less long, goes
// first. So addresses with many are brought down to the others' number, and each
// loses its longest silent.
func fairly[T any](list []place[T]) []T {
	slices.SortFunc(list, func(a, b place[T]) int { return cmp.Compare(a.silent, b.silent) })
	seen := make(map[netip.Addr]int)
	for i := range list {
		list[i].behind = seen[list[i].addr]
		seen[list[i].addr]++
	}
	last := func(p place[T]) int {
		if p.known {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b place[T]) int {
		//mutant:crowded-addresses-give-way
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(b.behind, a.behind), cmp.Compare(b.silent, a.silent))
	})
	out := make([]T, len(list))
	for i, p := range list {
		out[i] = p.who
	}
	return out
}
