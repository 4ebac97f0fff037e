package zmtp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// ListenConfig says how a socket listens. Zero fields mean the defaults.
type ListenConfig struct {
	// KeepAlive is set on what is accepted (Salt's tcp_keepalive options), as in
	// DialConfig.
	KeepAlive net.KeepAliveConfig
	// Backlog is the number of connections that may wait to be accepted (Salt's
	// zmq_backlog); the system may allow fewer. Default: as many as the system
	// allows. Where a system offers no way to say it, ErrUnsupported.
	Backlog int

	via net.Listener // instead of one that is bound, in tests
}

// listen binds addr.
func (c ListenConfig) listen(addr string) (net.Listener, error) {
	if c.KeepAlive == (net.KeepAliveConfig{}) {
		c.KeepAlive = defaultKeepAlive
	}
	if c.via != nil {
		return c.via, nil
	}
	lc := net.ListenConfig{KeepAlive: -1}
	if c.KeepAlive.Enable {
		keepAlive(&lc, c.KeepAlive)
	}
	ln, err := lc.Listen(context.Background(), network(addr), addr)
	if err != nil || c.Backlog <= 0 {
		return ln, err
	}
	if err := setBacklog(ln.(*net.TCPListener), c.Backlog); err != nil {
		return nil, errors.Join(fmt.Errorf("set a backlog of %d: %w", c.Backlog, err), ln.Close())
	}
	return ln, nil
}

// network keeps an IPv4 address to IPv4: left to itself, Go takes 0.0.0.0 for a
// wish to listen on IPv6 too.
func network(addr string) string {
	if a, err := netip.ParseAddrPort(addr); err == nil && a.Addr().Is4() {
		return "tcp4"
	}
	return "tcp"
}
