package target

import (
	"fmt"
	"math/bits"
	"net/netip"
	"strings"

	"github.com/momtree/mom/internal/python"
	"github.com/momtree/mom/internal/wire"
)

// network is an ipcidr target: one address or a network.
type network struct {
	addr   netip.Addr
	prefix netip.Prefix
	single bool
}

func parseNetwork(s string) (network, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return network{addr: a, single: true}, nil
	}
	addr, mask, ok := strings.Cut(s, "/")
	if !ok {
		return network{}, fmt.Errorf("%q is no IP address and no network", s)
	}
	a, err := netip.ParseAddr(addr)
	if err != nil || a.Zone() != "" {
		return network{}, fmt.Errorf("%q is no IP network: %q is no address", s, addr)
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		n, ok := maskBits(mask)
		if !ok || !a.Is4() {
			return network{}, fmt.Errorf("%q is no IP network: %q is no prefix length", s, mask)
		}
		p = netip.PrefixFrom(a, n)
	}
	if p.Masked() != p {
		return network{}, fmt.Errorf("%q is no IP network: the address has bits behind the prefix; write %s", s, p.Masked())
	}
	return network{prefix: p, addr: p.Addr()}, nil
}

// maskBits reads 255.255.0.0 and 0.0.255.255.
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

// match looks at the grain ipv4 or ipv6.
func (n network) match(grains any) bool {
	d, ok := asDict(grains)
	if !ok {
		return false
	}
	grain := "ipv6"
	if n.addr.Is4() {
		grain = "ipv4"
	}
	v, ok := d.get(grain)
	if !ok {
		return false
	}
	list, ok := wire.AsList(v)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		a, err := netip.ParseAddr(python.Str(e))
		if err != nil {
			continue
		}
		if n.single && a == n.addr || !n.single && n.prefix.Contains(a.WithZone("")) {
			return true
		}
	}
	return false
}
