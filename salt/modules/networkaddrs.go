package modules

import (
	"context"
	"math/big"
	"net/netip"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/value"
)

func init() {
	iface := []Arg{{Name: "iface", Required: true}}
	loopback := Arg{Name: "include_loopback", Default: false}
	of := []Arg{{Name: "interface"}, loopback, {Name: "cidr"}}
	const which = `interface is one, several with commas, or a glob; include_loopback=True takes those
of the host alone too.`
	Register("network",
		Function{Name: "interfaces", Run: networkAll, Doc: `
Return the network interfaces of the host, with their addresses.

CLI Example:

    salt '*' network.interfaces
`},
		Function{Name: "hw_addr", Args: iface, Run: networkOne("hwaddr"), Doc: `
Return the hardware address of the interface iface.

CLI Example:

    salt '*' network.hw_addr eth0
`},
		Function{Name: "interface", Args: iface, Run: networkOne("inet"), Doc: `
Return the IPv4 addresses of the interface iface.

CLI Example:

    salt '*' network.interface eth0
`},
		Function{Name: "interface_ip", Args: iface, Run: networkOne("ip"), Doc: `
Return the first IPv4 address of the interface iface.

CLI Example:

    salt '*' network.interface_ip eth0
`},
		Function{Name: "ip_addrs", Args: append(of[:3:3], Arg{Name: "type"}), Run: networkAddrs("inet"), Doc: `
List the IPv4 addresses of the host. ` + which + ` cidr is a network
that they are in; type is public or private.

CLI Example:

    salt '*' network.ip_addrs
    salt '*' network.ip_addrs cidr=10.0.0.0/8
`},
		Function{Name: "ip_addrs6", Args: of, Run: networkAddrs("inet6"), Doc: `
List the IPv6 addresses of the host. ` + which + ` cidr is a network
that they are in.

CLI Example:

    salt '*' network.ip_addrs6
`},
		Function{Name: "subnets", Args: []Arg{{Name: "interfaces"}}, Run: networkSubnets("inet"), Doc: `
List the IPv4 networks of the host, or of one or a list of its interfaces.

CLI Example:

    salt '*' network.subnets
    salt '*' network.subnets interfaces=eth1
`},
		Function{Name: "subnets6", Run: networkSubnets("inet6"), Doc: `
List the IPv6 networks of the host.

CLI Example:

    salt '*' network.subnets6
`},
		Function{Name: "in_subnet", Args: []Arg{{Name: "cidr", Required: true}}, Run: networkInSubnet, Doc: `
Return whether the host has an address in the network cidr.

CLI Example:

    salt '*' network.in_subnet 10.0.0.0/16
`},
		Function{Name: "ifacestartswith", Args: []Arg{{Name: "cidr", Required: true}}, Run: networkStarts, Doc: `
List the interfaces with an IPv4 address that begins with the text cidr.

CLI Example:

    salt '*' network.ifacestartswith 10.0
`},
	)
	for _, v := range []struct{ six, kind string }{{"", "inet"}, {"6", "inet6"}} {
		Register("network", Function{Name: "ip_networks" + v.six, Args: []Arg{of[0], loopback, {Name: "verbose", Default: false}}, Run: networkNetworks(v.kind), Doc: `
List the networks (IPv` + map[string]string{"": "4", "6": "6"}[v.six] + `) of the host. ` + which + `
verbose=True returns a map with their masks and sizes.

CLI Example:

    salt '*' network.ip_networks` + v.six + `
    salt '*' network.ip_networks` + v.six + ` interface=docker0,enp*
`})
	}
	alias("network", "hw_addr", "hwaddr")
	alias("network", "ip_addrs", "ipaddrs")
	alias("network", "ip_addrs6", "ipaddrs6")
}

func networkAll(ctx context.Context, c *Call) (any, error) {
	list, err := c.networkInterfaces(ctx)
	m := value.NewMap()
	for _, i := range list {
		m.Set(i.name, i.value())
	}
	return m, err
}

// networkOne returns one property of an interface. As in Salt, an unknown interface gives a
// message.
func networkOne(part string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		list, err := c.networkInterfaces(ctx)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, i := range list {
			names = append(names, i.name)
			if i.name != c.Str("iface") {
				continue
			}
			inet := i.values("inet")
			switch {
			case part == "hwaddr":
				return i.hwaddr, nil
			case len(inet) == 0:
				return "", nil
			case part == "inet":
				return inet, nil
			}
			v, _ := inet[0].(*value.Map).Get("address")
			return v, nil
		}
		return `Interface "` + c.Str("iface") + `" not in available interfaces: "` + strings.Join(names, `", "`) + `"`, nil
	}
}

// chosenAddrs returns the addresses of a family on the selected interfaces.
func (c *Call) chosenAddrs(ctx context.Context, family string) ([]netip.Prefix, error) {
	list, err := c.networkInterfaces(ctx)
	var out []netip.Prefix
	for _, i := range list {
		wanted := c.Value("interface") == nil || slices.ContainsFunc(textList(c.Value("interface")), func(glob string) bool { return target.Glob(glob, i.name) })
		for _, a := range i.addrs {
			if wanted && a.family() == family {
				out = append(out, a.prefix)
			}
		}
	}
	return out, err
}

func networkAddrs(family string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		all, err := c.chosenAddrs(ctx, family)
		if err != nil {
			return nil, err
		}
		var cidr netip.Prefix
		within := given(c.Value("cidr"))
		if within {
			// As in Salt, an invalid network has no addresses.
			cidr, err = parseNetwork(c.Str("cidr"), true)
			if err != nil {
				return []any{}, nil //nolint:nilerr // as in Salt
			}
		}
		var addrs []netip.Addr
		for _, p := range all {
			a := p.Addr()
			switch {
			case a.IsLoopback() && !c.IsTrue("include_loopback"), within && !cidr.Contains(a):
			case !within && c.Value("type") == "public" && privateAddr(a), !within && c.Value("type") == "private" && !privateAddr(a):
			default:
				addrs = append(addrs, a)
			}
		}
		return addrList(addrs), nil
	}
}

// addrList sorts addresses and removes duplicates.
func addrList(addrs []netip.Addr) []any {
	slices.SortFunc(addrs, netip.Addr.Compare)
	out := []any{}
	for _, a := range slices.Compact(addrs) {
		out = append(out, a.String())
	}
	return out
}

// networkList sorts networks and removes duplicates.
func networkList(nets []netip.Prefix) []netip.Prefix {
	slices.SortFunc(nets, func(a, b netip.Prefix) int {
		if order := a.Addr().Compare(b.Addr()); order != 0 {
			return order
		}
		return a.Bits() - b.Bits()
	})
	return slices.Compact(nets)
}

func prefixTexts(nets []netip.Prefix) []any {
	out := []any{}
	for _, n := range networkList(nets) {
		out = append(out, n.String())
	}
	return out
}

func networkSubnets(family string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		list, err := c.networkInterfaces(ctx)
		var nets []netip.Prefix
		for _, i := range list {
			switch v := c.Value("interfaces").(type) {
			case nil:
			case []any:
				if !slices.Contains(textList(v), i.name) {
					continue
				}
			default:
				if PyStr(v) != i.name {
					continue
				}
			}
			for _, a := range i.addrs {
				if a.family() == family && !a.prefix.Addr().IsLoopback() {
					nets = append(nets, a.prefix.Masked())
				}
			}
		}
		return prefixTexts(nets), err
	}
}

func networkNetworks(family string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		all, err := c.chosenAddrs(ctx, family)
		if err != nil {
			return nil, err
		}
		var nets []netip.Prefix
		for _, p := range all {
			if n := p.Masked(); !n.Addr().IsLoopback() || c.IsTrue("include_loopback") {
				nets = append(nets, n)
			}
		}
		if !c.IsTrue("verbose") {
			return prefixTexts(nets), nil
		}
		m := value.NewMap()
		for _, n := range networkList(nets) {
			m.Set(n.String(), value.NewMap("address", n.Addr().String(), "netmask", maskOf(n).String(), "num_addresses", sizeOf(n), "prefixlen", int64(n.Bits())))
		}
		return m, nil
	}
}

// sizeOf returns the number of addresses of a network, as a string if it is too large for
// the wire.
func sizeOf(p netip.Prefix) any {
	n := new(big.Int).Lsh(big.NewInt(1), uint(p.Addr().BitLen()-p.Bits()))
	if n.IsInt64() {
		return n.Int64()
	}
	return n.String()
}

func networkInSubnet(ctx context.Context, c *Call) (any, error) {
	cidr, err := parseNetwork(c.Str("cidr"), true)
	if err != nil {
		return false, nil //nolint:nilerr // as Salt
	}
	list, err := c.networkInterfaces(ctx)
	for _, i := range list {
		for _, a := range i.addrs {
			if addr := a.prefix.Addr(); !addr.IsLoopback() && cidr.Contains(addr) {
				return true, nil
			}
		}
	}
	return false, err
}

func networkStarts(ctx context.Context, c *Call) (any, error) {
	list, err := c.networkInterfaces(ctx)
	out := []any{}
	for _, i := range list {
		for _, a := range i.addrs {
			if !a.secondary && a.prefix.Addr().Is4() && strings.HasPrefix(a.prefix.Addr().String(), c.Str("cidr")) {
				out = append(out, a.label)
			}
		}
	}
	return out, err
}
