//go:build !linux

package peer

import (
	"context"
	"net"
	"net/netip"
)

func dial(ctx context.Context, to netip.AddrPort, from netip.Addr) (stream, error) {
	d := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: false}, KeepAlive: -1}
	if from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	c, err := d.DialContext(ctx, "tcp", to.String())
	if err != nil {
		return nil, err
	}
	return c, nil
}
