package admission

import "net/netip"

// Source is what requests of strangers are counted by: one IPv4 address, or the /64 of an IPv6
// address, since whoever has one address of a /64 has all. It is the zero Prefix for an
// address that is not valid.
func Source(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // an invalid address gives the zero Prefix
	return p
}
