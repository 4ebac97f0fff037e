package grains

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// netResolver is the resolver of the host.
type netResolver struct{ *net.Resolver }

func (r netResolver) LookupNetIP(ctx context.Context, network, host string) ([]addr, error) {
	return r.Resolver.LookupNetIP(ctx, network, host)
}

// names returns the names of the host and their addresses. It asks the hosts file first,
// and name servers only until ctx ends.
func (c *collector) names(ctx context.Context) *value.Map {
	host := c.uname.nodename
	hosts := parseHosts(c.tree.text(hostsFile))
	all := make(chan []any, 1)
	go func() { all <- c.fqdns(ctx, hosts) }()
	fqdn := c.fqdn(ctx, hosts, host)
	short, domain, _ := strings.Cut(fqdn, ".")
	return value.NewMap(
		"localhost", host, "fqdn", fqdn, "host", short, "domain", domain,
		"fqdn_ip4", c.addresses(ctx, hosts, "ip4", fqdn, host),
		"fqdn_ip6", c.addresses(ctx, hosts, "ip6", fqdn, host),
		"fqdns", <-all,
	)
}

// fqdns looks up the names of all non-loopback addresses.
func (c *collector) fqdns(ctx context.Context, hosts []hostsLine) []any {
	if !c.FQDNs {
		return []any{}
	}
	list, err := c.interfaces()
	if err != nil {
		return []any{} // network has logged it
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	found := map[string]bool{}
	for _, i := range list {
		for _, a := range i.addrs {
			if a = a.Unmap(); a.IsLoopback() {
				continue
			}
			wg.Go(func() {
				if name := c.nameOf(ctx, hosts, a); name != "" {
					mu.Lock()
					found[name] = true
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	return wire.AnyList(slices.Sorted(maps.Keys(found)))
}

// nameOf returns the name of an address, "" if it has none.
func (c *collector) nameOf(ctx context.Context, hosts []hostsLine, a addr) string {
	for _, l := range hosts {
		if l.addr == a {
			return l.names[0]
		}
	}
	if names, err := c.resolver.LookupAddr(ctx, a.String()); err == nil && len(names) > 0 {
		return strings.TrimSuffix(names[0], ".")
	}
	return ""
}

func (c *collector) fqdn(ctx context.Context, hosts []hostsLine, host string) string {
	if host == "" {
		return "localhost.localdomain"
	}
	for _, l := range hosts {
		for _, n := range l.names {
			if strings.EqualFold(n, host) {
				return l.names[0]
			}
		}
	}
	if strings.Contains(host, ".") {
		return host
	}
	if name, err := c.resolver.LookupCNAME(ctx, host); err == nil {
		if name = strings.TrimSuffix(name, "."); name != "" {
			return name
		}
	}
	return host
}

// addresses returns the addresses of the given names.
func (c *collector) addresses(ctx context.Context, hosts []hostsLine, network string, names ...string) []any {
	var found []addr
	for _, l := range hosts {
		if l.addr.Is4() != (network == "ip4") {
			continue
		}
		for _, n := range l.names {
			if strings.EqualFold(n, names[0]) || strings.EqualFold(n, names[1]) {
				found = append(found, l.addr)
				break
			}
		}
	}
	if len(found) == 0 && names[0] != "" {
		if list, err := c.resolver.LookupNetIP(ctx, network, names[0]); err == nil {
			for _, a := range list {
				found = append(found, a.Unmap().WithZone(""))
			}
		}
	}
	return addrTexts(ordered(found))
}

// hostsLine is one line of /etc/hosts.
type hostsLine struct {
	addr  addr
	names []string // never empty
}

func parseHosts(text string) []hostsLine {
	var out []hostsLine
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if a, err := netip.ParseAddr(f[0]); err == nil {
			out = append(out, hostsLine{a.Unmap().WithZone(""), f[1:]})
		}
	}
	return out
}

func (c *collector) dns() *value.Map {
	// systemd-resolved writes its stub address to /etc, and the servers it uses here.
	text := c.tree.text("/run/systemd/resolve/resolv.conf")
	if text == "" {
		text = c.tree.text("/etc/resolv.conf")
	}
	if text == "" {
		return value.NewMap()
	}
	return value.NewMap("dns", parseResolv(text))
}

// parseResolv parses a resolv.conf.
func parseResolv(text string) *value.Map {
	servers, four, six := []any{}, []any{}, []any{}
	search, sortlist, options := []any{}, []any{}, []any{}
	domain := ""
	seen := map[addr]bool{}
	for _, line := range strings.Split(text, "\n") {
		if i := strings.IndexAny(line, "#;"); i >= 0 {
			line = line[:i]
		}
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch f[0] {
		case "nameserver":
			a, err := netip.ParseAddr(f[1])
			if err != nil || seen[a] {
				continue
			}
			seen[a] = true
			servers = append(servers, a.String())
			if a.Is4() {
				four = append(four, a.String())
			} else {
				six = append(six, a.String())
			}
		case "domain":
			domain = f[1]
		case "search":
			search = wire.AnyList(f[1:])
		case "sortlist":
			sortlist = append(sortlist, wire.AnyList(f[1:])...)
		case "options":
			options = append(options, wire.AnyList(f[1:])...)
		}
	}
	return value.NewMap(
		"nameservers", servers, "ip4_nameservers", four, "ip6_nameservers", six,
		"sortlist", sortlist, "domain", domain, "search", search, "options", options,
	)
}
