package modules

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strings"

	"github.com/momtree/mom/value"
)

// networkAddress is an address of an interface.
type networkAddress struct {
	prefix netip.Prefix
	// broadcast, label (of IPv4) and scope (of IPv6) may be nil.
	broadcast, label, scope any
	secondary               bool
}

// networkInterface is an interface of the host.
type networkInterface struct {
	name, hwaddr, parent string
	up                   bool
	addrs                []networkAddress
}

// networkInterfaces returns the interfaces of the host, from the program ip or, if the host
// lacks it, from the kernel.
func (c *Call) networkInterfaces(ctx context.Context) ([]networkInterface, error) {
	if c.grain("kernel") == "Linux" && which("ip") != "" {
		r, err := runSystem(ctx, c, "ip", "addr", "show")
		if err != nil {
			return nil, err
		}
		return parseIPAddr(r.stdout), nil
	}
	list, err := net.Interfaces()
	if err != nil {
		return nil, osFault(err)
	}
	var out []networkInterface
	for _, n := range list {
		nets, err := n.Addrs()
		if err != nil {
			continue // the interface was removed meanwhile
		}
		i := networkInterface{name: n.Name, hwaddr: n.HardwareAddr.String(), up: n.Flags&net.FlagUp != 0}
		if i.hwaddr == "" && n.Flags&net.FlagLoopback != 0 {
			i.hwaddr = "00:00:00:00:00:00"
		}
		for _, a := range nets {
			p, err := netip.ParsePrefix(a.String())
			if err != nil {
				continue
			}
			one := networkAddress{prefix: p}
			if p.Addr().Is4() {
				one.label = n.Name
				if n.Flags&net.FlagBroadcast != 0 {
					one.broadcast = lastOf(p).String()
				}
			}
			i.addrs = append(i.addrs, one)
		}
		out = append(out, i)
	}
	return out, nil
}

var ipHead = regexp.MustCompile(`^\d+:\s+([\w.-]+)@?([\w.-]+)?:\s+<(.+)>`)

// parseIPAddr parses the output of ip addr show.
func parseIPAddr(out string) []networkInterface {
	var list []networkInterface
	for line := range strings.Lines(out) {
		if m := ipHead.FindStringSubmatch(line); m != nil {
			list = append(list, networkInterface{name: m[1], parent: m[2], up: strings.Contains(","+m[3]+",", ",UP,")})
			continue
		}
		cols := strings.Fields(line)
		if len(cols) < 2 || len(list) == 0 {
			continue
		}
		i := &list[len(list)-1]
		switch {
		case cols[0] == "inet" || cols[0] == "inet6":
			if a, ok := parseIPAddress(cols); ok {
				i.addrs = append(i.addrs, a)
			}
		case strings.HasPrefix(cols[0], "link"):
			i.hwaddr = cols[1]
		}
	}
	return list
}

func parseIPAddress(cols []string) (networkAddress, bool) {
	var a networkAddress
	text := cols[1]
	if !strings.Contains(text, "/") {
		text += map[bool]string{true: "/32", false: "/128"}[cols[0] == "inet"]
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return a, false
	}
	a.prefix = p
	for i, w := range cols {
		switch {
		case w == "secondary":
			a.secondary = true
		case i+1 == len(cols):
		case w == "brd" && cols[0] == "inet":
			a.broadcast = cols[i+1]
		case w == "scope" && cols[0] == "inet6":
			a.scope = cols[i+1]
		}
	}
	if cols[0] == "inet" {
		a.label = cols[len(cols)-1]
	}
	return a, true
}

// value returns an address in the form of network.interfaces.
func (a networkAddress) value() *value.Map {
	m := value.NewMap()
	if a.secondary {
		m.Set("type", a.family())
	}
	m.Set("address", a.prefix.Addr().String())
	if a.prefix.Addr().Is4() {
		m.Set("netmask", maskOf(a.prefix).String())
		m.Set("broadcast", a.broadcast)
		m.Set("label", a.label)
	} else {
		m.Set("prefixlen", fmt.Sprint(a.prefix.Bits()))
		m.Set("scope", a.scope)
	}
	return m
}

func (a networkAddress) family() string {
	if a.prefix.Addr().Is4() {
		return "inet"
	}
	return "inet6"
}

// value returns an interface in the form of network.interfaces.
func (i networkInterface) value() *value.Map {
	m := value.NewMap("up", i.up)
	if i.parent != "" {
		m.Set("parent", i.parent)
	}
	if i.hwaddr != "" {
		m.Set("hwaddr", i.hwaddr)
	}
	for _, key := range []string{"inet", "inet6", "secondary"} {
		if list := i.values(key); len(list) > 0 {
			m.Set(key, list)
		}
	}
	return m
}

// values returns the addresses of a kind: inet, inet6 or secondary.
func (i networkInterface) values(kind string) []any {
	var out []any
	for _, a := range i.addrs {
		if a.secondary == (kind == "secondary") && (a.secondary || a.family() == kind) {
			out = append(out, a.value())
		}
	}
	return out
}

// maskOf returns the netmask of a network.
func maskOf(p netip.Prefix) netip.Addr {
	mask, _ := netip.AddrFromSlice(net.CIDRMask(p.Bits(), p.Addr().BitLen()))
	return mask
}

// lastOf returns the last address of a network.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i, m := range net.CIDRMask(p.Bits(), p.Addr().BitLen()) {
		b[i] |= ^m
	}
	last, _ := netip.AddrFromSlice(b)
	return last
}
