package modules

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/momtree/mom/value"
)

func init() {
	host := Arg{Name: "host", Required: true}
	Register("network",
		Function{Name: "get_hostname", Run: func(context.Context, *Call) (any, error) { return hostname() }, Doc: `
Return the name of the host.

CLI Example:

    salt '*' network.get_hostname
`},
		Function{Name: "get_fqdn", Run: networkName, Doc: `
Return the full name of the host.

CLI Example:

    salt '*' network.get_fqdn
`},
		Function{Name: "ping", Args: []Arg{host, {Name: "timeout", Default: false}, {Name: "return_boolean", Default: false}}, Run: networkPing, Doc: `
Send four pings to a host and return the output of ping, or whether an answer
came with return_boolean=True. timeout is how long to wait for one, in seconds.

CLI Example:

    salt '*' network.ping archlinux.org timeout=3
`},
		Function{Name: "dig", Args: []Arg{host}, Run: networkDig, Doc: `
Look up a host in DNS with the program dig, and return its output.

CLI Example:

    salt '*' network.dig archlinux.org
`},
		Function{Name: "arp", Run: networkARP, Doc: `
Return the addresses of the neighbours of the host, by hardware address.

CLI Example:

    salt '*' network.arp
`},
		Function{
			Name: "connect", Run: networkConnect,
			Args: []Arg{host, {Name: "port"}, {Name: "proto", Default: "tcp"}, {Name: "timeout", Default: int64(5)}, {Name: "family"}},
			Doc: `
Return whether a host can be reached at a port: with proto=tcp whether it accepts a
connection, with proto=udp whether it answers. timeout is in seconds, family ipv4
or ipv6.

CLI Example:

    salt '*' network.connect archlinux.org 80 timeout=3
`,
		},
	)
}

func networkName(_ context.Context, c *Call) (any, error) {
	if name := c.grain("fqdn"); name != "" {
		return name, nil
	}
	return hostname()
}

// plainHost removes characters that a host name cannot have, so that it is not an option of
// a program.
func plainHost(s string) (string, error) {
	kept := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", r) {
			return r
		}
		return -1
	}, s[:min(len(s), 255)])
	if _, err := netip.ParseAddr(s); err == nil {
		kept = s // Salt removes the colons of IPv6
	}
	return kept, plainArg("host", kept)
}

func networkPing(ctx context.Context, c *Call) (any, error) {
	host, err := plainHost(c.Str("host"))
	if err != nil {
		return nil, err
	}
	words := []string{"ping"}
	if v := c.Value("timeout"); v != false && v != nil {
		n, err := c.Float("timeout")
		if err != nil {
			return nil, err
		}
		if n > 0 {
			words = append(words, "-W", PyStr(v))
		}
	}
	r, err := runSystem(ctx, c, append(words, "-c", "4", host)...)
	if err != nil {
		return nil, err
	}
	c.Retcode = r.retcode
	if c.IsTrue("return_boolean") {
		return r.retcode == 0, nil
	}
	return said(r), nil
}

func networkDig(ctx context.Context, c *Call) (any, error) {
	host, err := plainHost(c.Str("host"))
	if err != nil {
		return nil, err
	}
	return c.powered(ctx, "dig", host)
}

func networkARP(ctx context.Context, c *Call) (any, error) {
	r, err := runSystem(ctx, c, "arp", "-an")
	m := value.NewMap()
	for line := range strings.Lines(r.stdout) {
		cols := strings.Fields(line)
		switch {
		case len(cols) < 4:
		case c.grain("kernel") == "OpenBSD":
			if cols[0] != "Host" && cols[1] != "(incomplete)" {
				m.Set(cols[1], cols[0])
			}
		default:
			m.Set(cols[3], strings.Trim(cols[1], "()"))
		}
	}
	return m, err
}

// maxWait is the longest wait for a connection.
const maxWait = 5 * time.Minute

func networkConnect(ctx context.Context, c *Call) (any, error) {
	host, port := c.Str("host"), c.Str("port")
	switch {
	case host == "":
		return resultOf(false, "Required argument, host, is missing."), nil
	case port == "" || port == "0":
		return resultOf(false, "Required argument, port, is missing."), nil
	}
	proto := "tcp"
	if c.Str("proto") == "udp" {
		proto = "udp"
	}
	secs, err := c.Float("timeout")
	if err != nil {
		return nil, err
	}
	wait := min(maxWait, seconds(secs))
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	name, err := plainHost(host)
	if err != nil {
		return nil, err
	}
	ip := map[string]string{"ipv4": "ip4", "ipv6": "ip6"}[c.Str("family")]
	if ip == "" {
		ip = "ip"
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, ip, name)
	number, portErr := net.DefaultResolver.LookupPort(ctx, proto, port)
	if err != nil || portErr != nil || len(addrs) == 0 {
		return resultOf(false, "Unable to resolve host %s on %s port %s", host, proto, port), nil //nolint:nilerr // as in Salt
	}
	to := netip.AddrPortFrom(addrs[0].Unmap(), uint16(number))
	if err := reach(ctx, proto, to); err != nil {
		return resultOf(false, "Unable to connect to %s (%s) on %s port %s", host, to.Addr(), proto, port), nil //nolint:nilerr // as in Salt
	}
	return resultOf(true, "Successfully connected to %s (%s) on %s port %s", host, to.Addr(), proto, port), nil
}

// reach connects. With udp it also waits for an answer.
func reach(ctx context.Context, proto string, to netip.AddrPort) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, proto, to.String())
	if err != nil {
		return err
	}
	defer conn.Close()
	if proto == "tcp" {
		return nil
	}
	if at, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(at); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(conn, rand.Text()); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 255))
	return err
}

// procFile reads a file of /proc; tests replace it.
var procFile = func(name string) ([]byte, error) { return os.ReadFile("/proc/" + name) }
