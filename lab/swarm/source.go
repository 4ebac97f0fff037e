package swarm

import (
	"encoding/binary"
	"net"
	"net/netip"
)

// Loopback is where a swarm connects from to a master on the same machine: each
// minion has an address of its own, as in a real estate, so that neither ports nor
// what a master allows one address run out.
var Loopback = netip.MustParsePrefix("127.64.0.0/10")

// SourceFor is [Loopback] for a master on this machine's 127.0.0.0/8, and nothing,
// which leaves it to the system, for any other.
func SourceFor(host string) netip.Prefix {
	ip := net.ParseIP(host)
	if host == "localhost" || ip != nil && ip.To4() != nil && ip.IsLoopback() {
		return Loopback
	}
	return netip.Prefix{}
}

// address is where the minion with running number n connects from. The first and
// the last address of an IPv4 prefix are left out.
func address(p netip.Prefix, n int) netip.Addr {
	if !p.IsValid() {
		return netip.Addr{}
	}
	bits := p.Addr().BitLen() - p.Bits()
	if bits < 2 || p.Addr().Is6() {
		return p.Masked().Addr()
	}
	room := uint32(1)<<bits - 2
	base := p.Masked().Addr().As4()
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(base[:])+1+uint32(n)%room)
	return netip.AddrFrom4(b)
}
