package render

import (
	"context"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/salt/jinja"
)

// iface is an address with an optional prefix length.
type iface struct {
	addr netip.Addr
	bits int // -1: not given
}

// String returns the text of Python's ip_address or ip_interface.
func (i iface) String() string {
	if i.bits < 0 {
		return i.addr.String()
	}
	return fmt.Sprintf("%s/%d", i.addr, i.bits)
}

// longestAddress is the length in bytes from which a text is not parsed: an address with
// zone and mask is shorter.
const longestAddress = 1 << 10

// parseIP parses an address or interface of an IP version.
func parseIP(v any, version int) (iface, bool) {
	s, ok := v.(string)
	//mutant:template-filters
	if !ok || len(s) > longestAddress {
		return iface{}, false
	}
	host, mask, slash := strings.Cut(s, "/")
	a, err := netip.ParseAddr(host)
	if err != nil || a.Is4() != (version == 4) {
		return iface{}, false
	}
	i := iface{a, -1}
	if slash {
		n, err := strconv.Atoi(mask)
		if err != nil || n < 0 || n > a.BitLen() {
			m, err2 := netip.ParseAddr(mask)
			if err2 != nil || !m.Is4() || !a.Is4() {
				return iface{}, false
			}
			if n, ok = maskBits(m); !ok {
				return iface{}, false
			}
		}
		i.bits = n
	}
	return i, true
}

func maskBits(m netip.Addr) (int, bool) {
	b := m.As4()
	ones, bits := net.IPMask(b[:]).Size()
	return ones, bits == 32
}

// reserved4 and private are networks as Python's ipaddress defines them.
var (
	privateNets = prefixes("0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/29 192.0.0.170/31 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 255.255.255.255/32 ::1/128 ::/128 ::ffff:0:0/96 100::/64 2001::/23 2001:2::/48 2001:db8::/32 2001:10::/28 fc00::/7 fe80::/10")
	reserved4   = prefixes("240.0.0.0/4")
	reserved6   = prefixes("::/8 100::/8 200::/7 400::/6 800::/5 1000::/4 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 f800::/6 fe00::/9")
	siteLocal   = prefixes("fec0::/10")
)

func prefixes(s string) []netip.Prefix {
	var out []netip.Prefix
	for p := range strings.FieldsSeq(s) {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

func within(a netip.Addr, nets []netip.Prefix) bool {
	for _, n := range nets {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// ipOption reports whether an address has the property that a word names; known is false
// for an unknown word.
func ipOption(a netip.Addr, word string) (is, known bool) {
	a = a.WithZone("")
	switch strings.ReplaceAll(word, "_", "-") {
	case "global", "public":
		return !within(a, privateNets), true
	case "link-local", "linklocal", "ll":
		return a.IsLinkLocalUnicast(), true
	case "loopback", "lo":
		return a.IsLoopback(), true
	case "multicast":
		return a.IsMulticast(), true
	case "private":
		return within(a, privateNets), true
	case "reserved":
		if a.Is4() {
			return within(a, reserved4), true
		}
		return within(a, reserved6), true
	case "site-local", "sl":
		if a.Is4() {
			return false, true
		}
		return within(a, siteLocal), true
	case "unspecified":
		return a.IsUnspecified(), true
	}
	return false, false
}

// ipText returns the canonical form of an address that has the version and all properties
// in options, else nil.
func ipText(v any, version int, options string) any {
	i, ok := parseIP(v, version)
	if !ok {
		return nil
	}
	if options != "" {
		for _, o := range splitTrim(options, ",") {
			if is, known := ipOption(i.addr, o); known && !is {
				return nil
			}
		}
	}
	return i.String()
}

// ipList filters a text or a list.
func ipList(r *jinja.Run, v any, version int, options string) any {
	if _, ok := v.(string); ok {
		return ipText(v, version, options)
	}
	switch v.(type) {
	case *jinja.List, jinja.Tuple, *jinja.Iter:
	default:
		return nil
	}
	out := &jinja.List{}
	for _, e := range r.Iterate(v) {
		r.Tick()
		if t := ipText(e, version, options); t != nil {
			r.Alloc(64)
			r.Append(out, t)
		}
	}
	return out
}

func ipAny(r *jinja.Run, v any, version int, options string) any {
	if version != 0 {
		return ipList(r, v, version, options)
	}
	if it, ok := v.(*jinja.Iter); ok {
		v = &jinja.List{Items: r.Iterate(it)}
	}
	four, six := ipList(r, v, 4, options), ipList(r, v, 6, options)
	l4, ok := four.(*jinja.List)
	if !ok {
		if four != nil {
			return four
		}
		return six
	}
	r.Append(l4, six.(*jinja.List).Items...)
	return l4
}

// perAddress returns a filter such as ip_host, which computes something for each address.
func perAddress(name string, of func(r *jinja.Run, i iface) any) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind(name, 0, "options version")
		options, _ := optional(b, 0)
		version := 0
		if b.Any(1, nil) != nil {
			version = b.Int(1, 0)
		}
		found := ipAny(r, v, version, options)
		if found == nil || !jinja.Truth(found) {
			return nil
		}
		one := func(e any) any {
			s := e.(string)
			for _, ver := range []int{4, 6} {
				if i, ok := parseIP(s, ver); ok {
					return of(r, i)
				}
			}
			return nil
		}
		if s, ok := found.(string); ok {
			return one(s)
		}
		out := &jinja.List{}
		for _, e := range r.Iterate(found) {
			r.Append(out, one(e))
		}
		return out
	}
}

func (i iface) prefix() netip.Prefix {
	bits := i.bits
	if bits < 0 {
		bits = i.addr.BitLen()
	}
	return netip.PrefixFrom(i.addr, bits).Masked()
}

func hosts(r *jinja.Run, i iface) any {
	p := i.prefix()
	free := p.Addr().BitLen() - p.Bits()
	if free > 20 {
		r.Fits(1 << 30)
	}
	n := 1 << free
	r.Room(n)
	r.Alloc(n * 64)
	r.Work(n * 64)
	out := &jinja.List{}
	a := p.Addr()
	for k := range n {
		last := k == n-1
		if free < 2 || p.Addr().Is4() && k > 0 && !last || !p.Addr().Is4() && k > 0 {
			out.Items = append(out.Items, a.String())
		}
		a = a.Next()
	}
	return out
}

func bracket(v any) any {
	if ipText(v, 6, "") != nil {
		return "[" + strings.TrimSuffix(strings.TrimPrefix(v.(string), "["), "]") + "]"
	}
	return v
}

func isIP(versions ...int) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		options, _ := optional(a.Bind("is_ip", 0, "options"), 0)
		for _, ver := range versions {
			if ipText(v, ver, options) != nil {
				return true
			}
		}
		return false
	}
}

func ipFilter(version int) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		options, _ := optional(a.Bind("ipaddr", 0, "options"), 0)
		return ipAny(r, v, version, options)
	}
}

func filterByNetworks(r *jinja.Run, v any, a *jinja.Args) any {
	given := a.Bind("filter_by_networks", 1, "networks").Any(0, nil)
	if given == nil {
		return v
	}
	var nets []netip.Prefix
	for _, n := range r.Iterate(given) {
		s := text(r, n, "filter_by_networks")
		if !strings.Contains(s, "/") {
			if addr, err := netip.ParseAddr(s); err == nil {
				s = fmt.Sprintf("%s/%d", s, addr.BitLen())
			}
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			fail("%s does not appear to be an IPv4 or IPv6 network", jinja.Repr(s))
		}
		if p.Masked() != p {
			fail("%s has host bits set", s)
		}
		r.Alloc(128)
		nets = append(nets, p)
	}
	pick := func(list any) any {
		out := &jinja.List{}
		for _, e := range r.Iterate(list) {
			addr, err := netip.ParseAddr(text(r, e, "filter_by_networks"))
			if err != nil {
				fail("%s does not appear to be an IPv4 or IPv6 address", jinja.Repr(e))
			}
			r.Work(16 * len(nets))
			for _, n := range nets {
				if n.Contains(addr) {
					r.Append(out, e)
				}
			}
		}
		return out
	}
	if d, ok := v.(*jinja.Dict); ok {
		out := jinja.NewDict()
		d.Range(func(k, e any) bool { r.Set(out, k, pick(e)); return true })
		return out
	}
	return pick(v)
}

// dnsTime bounds a lookup and each connection of dns_check.
const dnsTime = 3 * time.Second

// dnsCheck returns the first address of a name that accepts a connection.
func dnsCheck(r *jinja.Run, v any, a *jinja.Args) any {
	b := a.Bind("dns_check", 1, "port safe ipv6")
	name := text(r, v, "dns_check")
	port := strconv.Itoa(b.Int(0, 0))
	network := "ip"
	if v6 := b.Any(2, nil); v6 != nil {
		network = map[bool]string{true: "ip6", false: "ip4"}[jinja.Truth(v6)]
	}
	ctx, cancel := context.WithTimeout(r.Context(), dnsTime)
	defer cancel()
	addrs, _ := net.DefaultResolver.LookupNetIP(ctx, network, name)
	for _, addr := range addrs {
		addr = addr.Unmap()
		conn, err := (&net.Dialer{Timeout: dnsTime}).DialContext(r.Context(), "tcp", net.JoinHostPort(addr.String(), port))
		if err == nil {
			conn.Close()
			return bracket(addr.String())
		}
	}
	fail("DNS lookup or connection check of '%s' failed.", name)
	return nil
}

var _ = filters(map[string]jinja.Filter{
	"is_ip": isIP(4, 6), "is_ipv4": isIP(4), "is_ipv6": isIP(6),
	"ipaddr": ipFilter(0), "ipv4": ipFilter(4), "ipv6": ipFilter(6),
	"ip_host": perAddress("ip_host", func(r *jinja.Run, i iface) any {
		if i.bits < 0 {
			i.bits = i.addr.BitLen()
		}
		return i.String()
	}),
	"network_hosts": perAddress("network_hosts", hosts),
	"network_size": perAddress("network_size", func(r *jinja.Run, i iface) any {
		p := i.prefix()
		return jinja.Int(new(big.Int).Lsh(big.NewInt(1), uint(p.Addr().BitLen()-p.Bits())))
	}),
	"filter_by_networks": filterByNetworks,
	"dns_check":          dnsCheck,
	"ipwrap": plain(func(r *jinja.Run, v any) any {
		switch v.(type) {
		case *jinja.List, jinja.Tuple:
			out := &jinja.List{}
			for _, e := range r.Iterate(v) {
				r.Alloc(64)
				r.Append(out, bracket(e))
			}
			return out
		}
		return bracket(v)
	}),
})
