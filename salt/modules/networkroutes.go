package modules

import (
	"context"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

func init() {
	family := []Arg{{Name: "family"}}
	Register("network",
		Function{Name: "routes", Args: family, Run: networkRoutes, Doc: `
List the routes of the host; family selects inet or inet6.

CLI Example:

    salt '*' network.routes
`},
		Function{Name: "default_route", Args: family, Run: networkDefault, Doc: `
List the default routes of the host; family selects inet or inet6.

CLI Example:

    salt '*' network.default_route
`},
		Function{Name: "get_route", Args: []Arg{{Name: "ip", Required: true}}, Run: networkRoute, Doc: `
Return the route of the host to the address ip.

CLI Example:

    salt '*' network.get_route 10.10.10.10
`},
	)
}

func route(family, destination, gateway, netmask, flags, iface string) *value.Map {
	return value.NewMap("addr_family", family, "destination", destination, "gateway", gateway, "netmask", netmask, "flags", flags, "interface", iface)
}

// tableRows returns the rows of a program's table, without head header lines.
func (c *Call) tableRows(ctx context.Context, head int, words ...string) ([][]string, error) {
	r, err := runSystem(ctx, c, words...)
	lines := strings.Split(r.stdout, "\n")
	var out [][]string
	for _, l := range lines[min(head, len(lines)):] {
		if cols := strings.Fields(l); len(cols) > 0 {
			out = append(out, cols)
		}
	}
	return out, err
}

// routes returns all routes of the host.
func (c *Call) routes(ctx context.Context) ([]*value.Map, error) {
	switch {
	case c.grain("kernel") == "Linux" && which("netstat") != "":
		return c.routesNetstat(ctx)
	case c.grain("kernel") == "Linux":
		return c.routesIP(ctx)
	}
	at := map[string]int{"FreeBSD": 3, "MacOS": 3, "Darwin": 3, "NetBSD": 6, "OpenBSD": 7}[c.grain("os")]
	if at == 0 {
		return nil, CommandErrorf("Not yet supported on this platform")
	}
	flags := map[bool]int{true: 3, false: 2}[c.grain("os") == "NetBSD"]
	var out []*value.Map
	for _, family := range []string{"inet", "inet6"} {
		rows, err := c.tableRows(ctx, 4, "netstat", "-f", family, "-rn")
		if err != nil {
			return nil, err
		}
		for _, cols := range rows {
			if len(cols) > at {
				out = append(out, route(family, cols[0], cols[1], "", cols[flags], cols[at]))
			}
		}
	}
	return out, nil
}

func (c *Call) routesNetstat(ctx context.Context) ([]*value.Map, error) {
	var out []*value.Map
	rows, err := c.tableRows(ctx, 2, "netstat", "-A", "inet", "-rn")
	if err != nil {
		return nil, err
	}
	for _, cols := range rows {
		if len(cols) > 7 {
			out = append(out, route("inet", cols[0], cols[1], cols[2], cols[3], cols[7]))
		}
	}
	if rows, err = c.tableRows(ctx, 2, "netstat", "-A", "inet6", "-rn"); err != nil {
		return nil, err
	}
	for _, cols := range rows {
		if len(cols) == 6 || len(cols) == 7 {
			out = append(out, route("inet6", cols[0], cols[1], "", cols[2], cols[len(cols)-1]))
		}
	}
	return out, nil
}

// after returns the word after another, "" if it is missing.
func after(cols []string, word string) string {
	if i := slices.Index(cols, word); i >= 0 && i+1 < len(cols) {
		return cols[i+1]
	}
	return ""
}

// routesIP converts the output of ip to the form of netstat.
func (c *Call) routesIP(ctx context.Context) ([]*value.Map, error) {
	var out []*value.Map
	rows, err := c.tableRows(ctx, 0, "ip", "-4", "route", "show", "table", "main")
	if err != nil {
		return nil, err
	}
	for _, cols := range rows {
		if cols[0] == "default" {
			out = append(out, route("inet", "0.0.0.0", after(cols, "via"), "0.0.0.0", "UG", after(cols, "dev")))
		} else if p, err := parseNetwork(cols[0], false); err == nil {
			out = append(out, route("inet", p.Addr().String(), "0.0.0.0", maskOf(p).String(), "U", after(cols, "dev")))
		}
	}
	if rows, err = c.tableRows(ctx, 0, "ip", "-6", "route", "show", "table", "all"); err != nil {
		return nil, err
	}
	for _, cols := range rows {
		switch cols[0] {
		case "unicast", "broadcast", "throw", "unreachable", "prohibit", "blackhole", "nat", "anycast", "multicast":
		case "default":
			out = append(out, route("inet6", "::/0", after(cols, "via"), "", "UG", after(cols, "dev")))
		case "local":
			if len(cols) > 1 {
				out = append(out, route("inet6", cols[1]+"/128", "::", "", "U", after(cols, "dev")))
			}
		default:
			out = append(out, route("inet6", cols[0], "::", "", "U", after(cols, "dev")))
		}
	}
	return out, nil
}

// familyRoutes returns the routes of the family that the call names.
func (c *Call) familyRoutes(ctx context.Context) ([]*value.Map, error) {
	family := c.Value("family")
	if family != nil && family != "inet" && family != "inet6" {
		return nil, CommandErrorf("Invalid address family %s", PyStr(family))
	}
	all, err := c.routes(ctx)
	return slices.DeleteFunc(all, func(r *value.Map) bool { return family != nil && r.String("addr_family") != family }), err
}

func routeList(routes []*value.Map) []any {
	out := []any{}
	for _, r := range routes {
		out = append(out, r)
	}
	return out
}

func networkRoutes(ctx context.Context, c *Call) (any, error) {
	all, err := c.familyRoutes(ctx)
	return routeList(all), err
}

func networkDefault(ctx context.Context, c *Call) (any, error) {
	all, err := c.familyRoutes(ctx)
	return routeList(slices.DeleteFunc(all, func(r *value.Map) bool {
		to, family := r.String("destination"), c.Str("family")
		return to != "default" && (to != "0.0.0.0" || family == "inet6") && (to != "::/0" || family == "inet")
	})), err
}

var routeLine = regexp.MustCompile(`(?:via\s+([\w.:]+))?\s+dev\s+([\w.:-]+)\s+.*src\s+([\w.:]+)`)

func networkRoute(ctx context.Context, c *Call) (any, error) {
	ip := c.Str("ip")
	if _, err := netip.ParseAddr(ip); err != nil {
		return nil, InvocationErrorf("%s is not an IP address", PyRepr(ip))
	}
	if c.grain("kernel") == "Linux" {
		r, err := runSystem(ctx, c, "ip", "route", "get", ip)
		if err != nil {
			return nil, err
		}
		line, _, _ := strings.Cut(r.stdout, "\n")
		m := routeLine.FindStringSubmatch(line)
		if m == nil {
			return nil, CommandErrorf("no route to %s: %s", ip, said(r))
		}
		var gateway any
		if m[1] != "" {
			gateway = m[1]
		}
		return value.NewMap("destination", ip, "gateway", gateway, "interface", m[2], "source", m[3]), nil
	}
	if c.grain("kernel") != "OpenBSD" {
		return nil, CommandErrorf("Not yet supported on this platform")
	}
	r, err := runSystem(ctx, c, "route", "-n", "get", ip)
	m := value.NewMap("destination", ip, "gateway", nil, "interface", nil, "source", nil)
	for line := range strings.Lines(r.stdout) {
		name, v, _ := strings.Cut(line, ":")
		key := map[string]string{"route to": "destination", "gateway": "gateway", "interface": "interface", "if address": "source"}[strings.TrimSpace(name)]
		if key != "" {
			m.Set(key, strings.TrimSpace(v))
		}
	}
	return m, err
}
