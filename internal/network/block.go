package network

import "net/netip"

// hostBits is how much of an IPv6 address a stranger cannot choose: providers hand out /64
// networks and larger, so that one machine has 2^64 addresses.
//
//mutant:login-network
const hostBits = 64

// Block returns the block that an address counts for: an IPv4 address, also one written as
// ::ffff:a.b.c.d, counts for itself, an IPv6 address for its /64. Text that is not an
// address is returned as it is.
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
		return a.String() // no address of IPv6 is shorter than the block
	}
	return p.String()
}
