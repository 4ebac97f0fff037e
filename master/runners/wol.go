package runners

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/master/functions"
)

const wolAddress = `
bcast : 255.255.255.255
    The address that the packet is sent to.
destport : 9
    The UDP port.
`

func init() {
	Register(
		Function{Name: "network.wol", Args: []string{"mac", "bcast=", "destport="}, Run: networkWol, Doc: `
Wake a host with a magic packet.

mac
    The hardware address, with or without colons or dashes.
` + wolAddress + `
    salt-run network.wol 08:00:27:13:69:77
`},
		Function{Name: "network.wollist", Args: []string{"maclist", "bcast=", "destport="}, Run: networkWolList, Doc: `
Wake the hosts of a list with magic packets, and return their addresses.

maclist
    A file on the master with one hardware address per line.
` + wolAddress + `
    salt-run network.wollist /path/to/maclist
`},
	)
}

// maxMacList limits a list of hardware addresses, in bytes.
const maxMacList = 1 << 20

func networkWol(ctx context.Context, c *Call) (any, error) {
	return true, wake(ctx, c, c.Text("mac"))
}

func networkWolList(ctx context.Context, c *Call) (any, error) {
	path := c.Text("maclist")
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxMacList {
		err = fmt.Errorf("%s has %d bytes, more than %d", path, info.Size(), maxMacList)
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, functions.Invalid("maclist: %v", err)
	}
	woken := []any{}
	for line := range strings.Lines(string(b)) {
		mac := strings.TrimSpace(line)
		if mac == "" {
			continue
		}
		if err := wake(ctx, c, mac); err != nil {
			return nil, err
		}
		c.Print("Waking up " + mac)
		woken = append(woken, mac)
	}
	return woken, nil
}

// wake sends the magic packet: six bytes 0xff and the address 16 times.
func wake(ctx context.Context, c *Call, mac string) error {
	addr, err := hex.DecodeString(strings.NewReplacer(":", "", "-", "", ".", "").Replace(mac))
	if err != nil || len(addr) != 6 {
		return functions.Invalid("%q is not a hardware address", mac)
	}
	to := c.Text("bcast")
	if to == "" {
		to = "255.255.255.255"
	}
	port := 9
	if p := c.Text("destport"); p != "" {
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return functions.Invalid("destport=%s is not a port", p)
		}
	}
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(fd uintptr) { failed = posix.Broadcast(fd) })
		if err == nil {
			err = failed
		}
		return err
	}}
	conn, err := dialer.DialContext(ctx, "udp4", net.JoinHostPort(to, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("send the magic packet: %w", err)
	}
	_, err = conn.Write(append(bytes.Repeat([]byte{0xff}, 6), bytes.Repeat(addr, 16)...))
	if closed := conn.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("send the magic packet: %w", err)
	}
	return nil
}
