package grains

import (
	"encoding/hex"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// addr is an address of a host.
type addr = netip.Addr

// iface is one network interface with its addresses.
type iface struct {
	name     string
	mac      string
	loopback bool
	addrs    []addr
}

// hostInterfaces returns the interfaces the kernel knows.
func hostInterfaces() ([]iface, error) {
	list, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	out := make([]iface, 0, len(list))
	for _, n := range list {
		i := iface{name: n.Name, mac: n.HardwareAddr.String(), loopback: n.Flags&net.FlagLoopback != 0}
		nets, err := n.Addrs()
		if err != nil {
			continue // the interface was removed meanwhile
		}
		for _, a := range nets {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				i.addrs = append(i.addrs, p.Addr().WithZone(""))
			}
		}
		out = append(out, i)
	}
	return out, nil
}

// network returns the interfaces, addresses and gateways.
func (c *collector) network() *value.Map {
	list, err := c.interfaces()
	if err != nil {
		c.Log.Warn("network interfaces unreadable", "err", err)
		return value.NewMap()
	}
	all, four, six, macs := value.NewMap(), value.NewMap(), value.NewMap(), value.NewMap()
	var v4, v6 []addr
	for _, i := range list {
		i4, i6 := split(i.addrs)
		v4, v6 = append(v4, i4...), append(v6, i6...)
		four.Set(i.name, addrTexts(i4))
		six.Set(i.name, addrTexts(i6))
		all.Set(i.name, append(addrTexts(i4), addrTexts(i6)...))
		switch {
		case i.mac != "":
			macs.Set(i.name, i.mac)
		case i.loopback:
			macs.Set(i.name, "00:00:00:00:00:00")
		}
	}
	g := value.NewMap(
		"ipv4", addrTexts(ordered(v4)), "ipv6", addrTexts(ordered(v6)),
		"ip_interfaces", all, "ip4_interfaces", four, "ip6_interfaces", six, "hwaddr_interfaces", macs,
	)
	lay(g, c.gateways())
	return g
}

func split(addrs []addr) (four, six []addr) {
	for _, a := range addrs {
		if a = a.Unmap(); a.Is4() {
			four = append(four, a)
		} else {
			six = append(six, a)
		}
	}
	return four, six
}

// ordered sorts addresses by value and removes duplicates.
func ordered(addrs []addr) []addr {
	slices.SortFunc(addrs, addr.Compare)
	return slices.Compact(addrs)
}

func addrTexts(addrs []addr) []any {
	out := make([]any, len(addrs))
	for i, a := range addrs {
		out[i] = a.String()
	}
	return out
}

// gateways returns the default routes: the address of the gateway, True for a route without
// one, False if there is no route.
func (c *collector) gateways() *value.Map {
	g4 := parseRoute4(c.tree.text("/proc/net/route"))
	g6 := parseRoute6(c.tree.text("/proc/net/ipv6_route"))
	return value.NewMap("ip_gw", g4 != false || g6 != false, "ip4_gw", g4, "ip6_gw", g6)
}

// parseRoute4 finds the default route in /proc/net/route.
func parseRoute4(text string) any {
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) < 8 || f[1] != "00000000" || f[7] != "00000000" {
			continue
		}
		b, err := hex.DecodeString(f[2])
		if err != nil || len(b) != 4 {
			continue
		}
		slices.Reverse(b)
		return gateway(b)
	}
	return false
}

// parseRoute6 finds the default route in /proc/net/ipv6_route.
func parseRoute6(text string) any {
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		// Every host has an unreachable default route on lo.
		if len(f) < 10 || f[0] != strings.Repeat("0", 32) || f[1] != "00" || f[9] == "lo" {
			continue
		}
		b, err := hex.DecodeString(f[4])
		if err != nil || len(b) != 16 {
			continue
		}
		return gateway(b)
	}
	return false
}

func gateway(b []byte) any {
	if a, ok := netip.AddrFromSlice(b); ok && !a.IsUnspecified() {
		return a.String()
	}
	return true
}
