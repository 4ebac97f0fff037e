package server

import (
	"net/netip"

	"github.com/momtree/mom/internal/wire"
)

// maxAddress limits the text of an address, in bytes.
const maxAddress = 64

// From returns the source address of a login. A program that acts for others, such as the REST API,
// sends their address in the field from. That field counts only beside the key of the master's
// user, who could do everything anyway. Otherwise the address is that of the peer; a client could
// hide failed logins, or attribute them to others.
func (s *Server) From(r *Request) string {
	addr, _ := s.Vouched(r)
	return addr
}

// Vouched is From, and reports whether the address comes from the field from.
func (s *Server) Vouched(r *Request) (addr string, vouched bool) {
	own := ""
	if r.Peer != nil {
		own = r.Peer.Source().String()
	}
	f, err := wire.Pick(r.Load, atDoor, "from", "key")
	if err != nil || f[0] == nil {
		return own, false
	}
	a, err := netip.ParseAddr(textUpTo(f[0], maxAddress))
	if err != nil {
		return own, false
	}
	//mutant:api-from-needs-the-key
	if owner, ok := s.User(textUpTo(f[1], maxName)); !ok || owner != s.Own {
		return own, false
	}
	return a.Unmap().WithZone("").String(), true
}
