package modules

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/netip"
	"strconv"
	"strings"

	"github.com/momtree/mom/value"
)

func init() {
	Register("network",
		Function{Name: "active_tcp", Run: networkTCP, Doc: `
Return the TCP connections of the host, on Linux only.

CLI Example:

    salt '*' network.active_tcp
`},
		Function{Name: "netstat", Run: networkNetstat, Doc: `
List the sockets of the host: their addresses, state, user and program. On Linux
only.

CLI Example:

    salt '*' network.netstat
`},
	)
}

func networkTCP(_ context.Context, c *Call) (any, error) {
	m := value.NewMap()
	if c.grain("kernel") != "Linux" {
		return m, nil
	}
	for _, file := range []string{"net/tcp", "net/tcp6"} {
		data, err := procFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, osFault(err)
		}
		for line := range strings.Lines(string(data)) {
			cols := strings.Fields(line)
			const established = "01"
			if len(cols) < 4 || cols[3] != established {
				continue
			}
			local, ok := socketAddr(cols[1])
			remote, okToo := socketAddr(cols[2])
			if ok && okToo {
				m.Set(int64(m.Len()), value.NewMap("local_addr", local.Addr().String(), "local_port", int64(local.Port()),
					"remote_addr", remote.Addr().String(), "remote_port", int64(remote.Port())))
			}
		}
	}
	return m, nil
}

// socketAddr parses an address of /proc/net/tcp: words of four bytes in reverse order, and
// the port.
func socketAddr(text string) (netip.AddrPort, bool) {
	addr, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(addr)
	n, errPort := strconv.ParseUint(port, 16, 16)
	if err != nil || errPort != nil || len(b)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(b); i += 4 {
		b[i], b[i+1], b[i+2], b[i+3] = b[i+3], b[i+2], b[i+1], b[i]
	}
	a, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), ok
}

func networkNetstat(ctx context.Context, c *Call) (any, error) {
	switch {
	case c.grain("kernel") != "Linux":
		return nil, CommandErrorf("Not yet supported on this platform")
	case which("netstat") == "":
		return c.sockets(ctx, socketSS, "ss", "-tulpnea")
	}
	return c.sockets(ctx, socketNetstat, "netstat", "-tulpnea")
}

func (c *Call) sockets(ctx context.Context, read func(cols []string, tcp bool) *value.Map, words ...string) (any, error) {
	rows, err := c.tableRows(ctx, 0, words...)
	out := []any{}
	for _, cols := range rows {
		tcp := strings.HasPrefix(cols[0], "tcp")
		if !tcp && !strings.HasPrefix(cols[0], "udp") {
			continue
		}
		if m := read(cols, tcp); m != nil {
			out = append(out, m)
		}
	}
	return out, err
}

func socketNetstat(cols []string, tcp bool) *value.Map {
	names := []string{"proto", "recv-q", "send-q", "local-address", "remote-address", "state", "user", "inode", "program"}
	if !tcp {
		names = append(names[:5:5], names[6:]...)
	}
	if len(cols) < len(names) {
		return nil
	}
	m := value.NewMap()
	for i, n := range names {
		m.Set(n, cols[i])
	}
	return m
}

func socketSS(cols []string, tcp bool) *value.Map {
	if len(cols) < 6 {
		return nil
	}
	m := value.NewMap("proto", cols[0], "recv-q", cols[2], "send-q", cols[3], "local-address", cols[4], "remote-address", cols[5])
	if tcp {
		m.Set("state", map[bool]string{true: "ESTABLISHED", false: cols[1]}[cols[1] == "ESTAB"])
	}
	var user, inode, program any = int64(0), int64(0), ""
	for _, col := range cols[6:] {
		name, v, _ := strings.Cut(col, ":")
		switch name {
		case "users":
			if parts := strings.Split(v, `"`); len(parts) > 1 {
				program = parts[1]
			}
		case "uid":
			user = v
		case "ino":
			inode = v
		}
	}
	m.Set("user", user)
	m.Set("inode", inode)
	m.Set("program", program)
	return m
}
