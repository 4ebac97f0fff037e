package target

import (
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// network is the target ipcidr: an address or a network.
type network struct {
	addr   netip.Addr
	prefix netip.Prefix
	single bool
}

func parseNetwork(s string) (network, error) {
	addr, mask, ok := strings.Cut(s, "/")
	if a, err := netip.ParseAddr(s); err == nil && !ok { // a zone may contain a slash in Go
		return network{addr: a, single: true}, nil
	}
	if !ok {
		return network{}, fmt.Errorf("%q is no IP address and no network", s)
	}
	a, err := netip.ParseAddr(addr)
	a = a.WithZone("")
	if err != nil {
		return network{}, fmt.Errorf("%q is no IP network: %q is no address", s, addr)
	}
	n, ok := prefixLength(mask, a.BitLen())
	if !ok && a.Is4() {
		n, ok = maskBits(mask)
	}
	if !ok {
		return network{}, fmt.Errorf("%q is no IP network: %q is no prefix length", s, mask)
	}
	p := netip.PrefixFrom(a, n)
	if p.Masked() != p {
		return network{}, fmt.Errorf("%q is no IP network: the address has bits behind the prefix; write %s", s, p.Masked())
	}
	return network{prefix: p, addr: p.Addr()}, nil
}

// maskBits parses a netmask such as 255.255.0.0, or a host mask such as 0.0.255.255.
func maskBits(s string) (int, bool) {
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is4() {
		return 0, false
	}
	b := a.As4()
	m := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	if n := bits.LeadingZeros32(^m); m == ^uint32(0)<<(32-n) {
		return n, true
	}
	if n := bits.LeadingZeros32(m); ^m == ^uint32(0)<<(32-n) {
		return n, true
	}
	return 0, false
}

// prefixLength parses a number of bits. It accepts leading zeros, like Python.
func prefixLength(s string, most int) (int, bool) {
	digits := strings.TrimLeft(s, "0")
	if digits == "" && s != "" {
		return 0, true
	}
	n, err := strconv.ParseUint(digits, 10, 8)
	return int(n), err == nil && int(n) <= most
}

// match evaluates the target against the grain ipv4 or ipv6. As in Salt, an address is compared
// as text, and also searched for inside a grain that is a string. A network is not searched for
// after an entry that is not an address, since Salt gives up there.
func (n network) match(grains any) Tri {
	d, ok := asDict(grains)
	if !ok {
		return No
	}
	grain := "ipv6"
	if n.addr.Is4() {
		grain = "ipv4"
	}
	v, ok := d.get(grain)
	if !ok {
		return No
	}
	text, isText := v.(string)
	list, ok := wire.AsList(v)
	switch {
	case n.single && isText:
		return tri(strings.Contains(text, addressText(n.addr)))
	case !ok && isText:
		list = []any{v}
	case !ok:
		return No
	}
	for _, e := range list {
		if n.single {
			if e == addressText(n.addr) {
				return Yes
			}
			continue
		}
		a, err := netip.ParseAddr(pyfmt.Str(e))
		if err != nil {
			return No
		}
		if n.prefix.Contains(a.WithZone("")) {
			return Yes
		}
	}
	return No
}

// addressText returns Python's text of an address, in which an IPv4-mapped IPv6 address is
// hexadecimal.
func addressText(a netip.Addr) string {
	if !a.Is4In6() {
		return a.String()
	}
	b := a.As16()
	text := fmt.Sprintf("::ffff:%x:%x", int(b[12])<<8|int(b[13]), int(b[14])<<8|int(b[15]))
	if a.Zone() != "" {
		text += "%" + a.Zone()
	}
	return text
}
