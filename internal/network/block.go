package network

import "net/netip"

// hostBits is the part of an IPv6 address that a stranger can choose: providers assign /64
// networks and larger, so that one machine has 2^64 addresses.
//
//mutant:login-network
const hostBits = 64

// Block returns the block of an address: an IPv4 address, also in the form ::ffff:a.b.c.d, is a
// block of its own, an IPv6 address belongs to its /64. It returns text that is not an address
// unchanged.
func Block(addr string) string {
	a, err := netip.ParseAddr(addr)
	if err != nil {
		return addr
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	p, err := a.Prefix(hostBits)
	if err != nil {
		return a.String() // every IPv6 address is longer than the block
	}
	return p.String()
}
