package zmtp

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// strangers selects the peer that gives its place to a new connection when all are taken: one
// that has not proved who it is ([Peer.Trust]) and has been idle for long. A peer of a ROUTER
// is idle if it has no request in progress, even if it sends other data or part of a request. A
// peer of a PUB is always idle.
//
// Peers at addresses from which nobody has ever been trusted go first; of these, those of the
// address with the most of them, and within an address the longest idle. The caller holds the
// lock of the host.
type strangers struct {
	patience time.Duration         // minimum patience with a stranger
	known    time.Duration         // the same at a trusted address; negative means forever
	address  func(netip.Addr) bool // reports whether it is trusted; nil means none

	next   []*Peer       // the next to go; each is checked again
	barren time.Duration // when no peer was found, on the clock of epoch
}

// lookAgain is the pause after a search without result: a search costs as much as there are
// peers.
const lookAgain = 50 * time.Millisecond

// rest records that a peer has become idle.
func (p *Peer) rest() { p.rested.Store(int64(time.Since(epoch))) }

// idle returns for how long an untrusted peer has not been waiting for us; negative means that
// it is trusted, or waits.
func (p *Peer) idle(now time.Duration) time.Duration {
	if p.guard.trusted.Load() || !p.reading.Load() || p.guard.paused.Load() || len(p.credit) > 1 {
		return -1
	}
	return now - time.Duration(p.rested.Load())
}

// pick returns the peer that must go, nil if none must.
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

// rank lists the peers that may go, the first to go in front.
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

// place is a place that may have to be freed.
type place[T any] struct {
	who    T
	addr   netip.Addr
	silent time.Duration
	known  bool // goes after all unknown ones
	behind int
}

// fairly sorts the places that may be freed. For each it counts the places at its address that
// have been silent for less time; the highest count goes first. So addresses with many places
// are reduced to the number of the others, and each loses its longest silent first.
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
