package admission

import "net/netip"

// Source returns the prefix by which requests of strangers are counted: an IPv4 address, or the /64
// of an IPv6 address, as whoever has one address of a /64 has all. It returns the zero Prefix for
// an invalid address.
func Source(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the zero Prefix for an invalid address
	return p
}
