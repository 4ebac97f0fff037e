package modules

import (
	"context"
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"

	"github.com/momtree/mom/value"
)

func init() {
	addr := []Arg{{Name: "ip_addr", Required: true}}
	Register("network",
		Function{Name: "calc_net", Args: append(addr[:1:1], Arg{Name: "netmask"}), Run: networkCalc, Doc: `
Return the network of the address ip_addr, with netmask or its own prefix.

CLI Example:

    salt '*' network.calc_net 172.17.0.5 255.255.255.240
    salt '*' network.calc_net 2a02:f6e:a000:80:84d8:8332:7866:4e07/64
`},
		Function{Name: "convert_cidr", Args: []Arg{{Name: "cidr", Required: true}}, Run: networkConvert, Doc: `
Return the address, the mask and the broadcast address of the network cidr.

CLI Example:

    salt '*' network.convert_cidr 172.31.0.0/16
`},
		Function{Name: "ip_in_subnet", Args: append(addr[:1:1], Arg{Name: "cidr", Required: true}), Run: networkContains, Doc: `
Return whether the address ip_addr is in the network cidr.

CLI Example:

    salt '*' network.ip_in_subnet 172.17.0.4 172.16.0.0/12
`},
		Function{Name: "is_private", Args: addr, Run: ofAddr(func(a netip.Addr) any { return privateAddr(a) }), Doc: `
Return whether the address ip_addr is private.

CLI Example:

    salt '*' network.is_private 10.0.0.3
`},
		Function{Name: "is_loopback", Args: addr, Run: ofAddr(func(a netip.Addr) any { return a.IsLoopback() && !a.Is4In6() }), Doc: `
Return whether the address ip_addr is a loopback address.

CLI Example:

    salt '*' network.is_loopback 127.0.0.1
`},
		Function{Name: "reverse_ip", Args: addr, Run: ofAddr(func(a netip.Addr) any { return reverseName(a) }), Doc: `
Return the DNS name of the address ip_addr.

CLI Example:

    salt '*' network.reverse_ip 172.17.0.4
`},
		Function{Name: "iphexval", Args: []Arg{{Name: "ip", Required: true}}, Run: networkHex, Doc: `
Return the IPv4 address ip in hexadecimal digits.

CLI Example:

    salt '*' network.iphexval 10.0.0.1
`},
	)
}

// valueFault returns an error that is a ValueError in Python.
func valueFault(format string, a ...any) error {
	return &ExceptionError{Type: "ValueError", Msg: fmt.Sprintf(format, a...)}
}

func parseAddr(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return a, valueFault("%s does not appear to be an IPv4 or IPv6 address", PyRepr(text))
	}
	return a, nil
}

// parseNetwork parses a network like Python's ip_network: an address with an optional
// prefix, netmask or hostmask. If strict, host bits must be zero.
func parseNetwork(text string, strict bool) (netip.Prefix, error) {
	fault := valueFault("%s does not appear to be an IPv4 or IPv6 network", PyRepr(text))
	base, mask, masked := strings.Cut(text, "/")
	a, err := netip.ParseAddr(base)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, fault
	}
	n := a.BitLen()
	if masked {
		if n, err = strconv.Atoi(mask); err != nil || strings.ContainsAny(mask, "+-") {
			if n = maskBits(mask); n < 0 || a.Is6() {
				return netip.Prefix{}, fault
			}
		}
	}
	p := netip.PrefixFrom(a, n)
	switch {
	case !p.IsValid():
		return netip.Prefix{}, fault
	case strict && p.Masked() != p:
		return netip.Prefix{}, valueFault("%s has host bits set", text)
	}
	return p.Masked(), nil
}

// maskBits returns the length of a netmask such as 255.255.0.0 or a hostmask such as
// 0.0.255.255; -1 for other text.
func maskBits(text string) int {
	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is4() {
		return -1
	}
	b := a.As4()
	v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	if ones := bits.LeadingZeros32(^v); v<<ones == 0 {
		return ones
	}
	if zeros := bits.LeadingZeros32(v); v == 1<<(32-zeros)-1 {
		return zeros
	}
	return -1
}

func networkCalc(_ context.Context, c *Call) (any, error) {
	text := c.Str("ip_addr")
	if c.Value("netmask") != nil {
		text += "/" + c.Str("netmask")
	}
	p, err := parseNetwork(text, false)
	if err != nil {
		return nil, err
	}
	return p.String(), nil
}

func networkConvert(_ context.Context, c *Call) (any, error) {
	p, err := parseNetwork(c.Str("cidr"), false)
	if err != nil {
		return nil, err
	}
	return value.NewMap("network", p.Addr().String(), "netmask", maskOf(p).String(), "broadcast", lastOf(p).String()), nil
}

func networkContains(_ context.Context, c *Call) (any, error) {
	p, err := parseNetwork(c.Str("cidr"), true)
	if err != nil {
		return false, nil //nolint:nilerr // as Salt
	}
	a, err := parseAddr(c.Str("ip_addr"))
	return err == nil && p.Contains(a), err
}

func ofAddr(of func(netip.Addr) any) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		a, err := parseAddr(c.Str("ip_addr"))
		if err != nil {
			return nil, err
		}
		return of(a), nil
	}
}

// privateNets are the networks for which Python's is_private is true.
var privateNets = func() []netip.Prefix {
	var out []netip.Prefix
	for _, n := range strings.Fields(`0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/29 192.0.0.170/31
		192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
		::1/128 ::/128 ::ffff:0:0/96 100::/64 2001::/23 2001:db8::/32 fc00::/7 fe80::/10`) {
		out = append(out, netip.MustParsePrefix(n))
	}
	return out
}()

func privateAddr(a netip.Addr) bool {
	for _, n := range privateNets {
		if n.Contains(a.WithZone("")) {
			return true
		}
	}
	return false
}

func reverseName(a netip.Addr) string {
	if a.Is4() {
		b := a.As4()
		return fmt.Sprintf("%d.%d.%d.%d.in-addr.arpa", b[3], b[2], b[1], b[0])
	}
	var s strings.Builder
	b := a.As16()
	for i := len(b) - 1; i >= 0; i-- {
		fmt.Fprintf(&s, "%x.%x.", b[i]&0xf, b[i]>>4)
	}
	return s.String() + "ip6.arpa"
}

func networkHex(_ context.Context, c *Call) (any, error) {
	a, err := parseAddr(c.Str("ip"))
	if err != nil || !a.Is4() {
		return nil, valueFault("%s does not appear to be an IPv4 address", PyRepr(c.Value("ip")))
	}
	b := a.As4()
	return fmt.Sprintf("%02X%02X%02X%02X", b[0], b[1], b[2], b[3]), nil
}
