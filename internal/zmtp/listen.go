package zmtp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// ListenConfig configures a listening socket. Zero fields mean the defaults.
type ListenConfig struct {
	// KeepAlive is set on accepted connections (Salt's tcp_keepalive options), as in
	// DialConfig.
	KeepAlive net.KeepAliveConfig
	// Backlog is the number of connections that may wait to be accepted (Salt's zmq_backlog);
	// the system may allow fewer. Default: as many as the system allows. On systems where it
	// cannot be set, the error is ErrUnsupported.
	Backlog int

	via net.Listener // used instead of binding, in tests
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

// network restricts an IPv4 address to IPv4: by default, Go also listens on IPv6 for 0.0.0.0.
func network(addr string) string {
	if a, err := netip.ParseAddrPort(addr); err == nil && a.Addr().Is4() {
		return "tcp4"
	}
	return "tcp"
}
