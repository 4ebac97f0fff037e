package server

import (
	"net/netip"

	"github.com/momtree/mom/internal/wire"
)

// maxAddress bounds the text of an address, in bytes.
const maxAddress = 64

// From is the address that a login comes from. A program that asks for others, such as the
// REST API, names theirs in the field from; it is believed beside the key of the user that
// the master runs as alone, whose holder could do everything anyway. It is the address of
// the peer for anybody else, who could shift failed logins to others, or away.
func (s *Server) From(r *Request) string {
	addr, _ := s.Vouched(r)
	return addr
}

// Vouched is From, and reports whether it is the address that a program asks for.
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
