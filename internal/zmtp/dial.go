package zmtp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"strings"
	"time"
)

// DialConfig configures a Req or a Sub. Zero fields mean the defaults.
type DialConfig struct {
	// Identity is sent in READY. A Req appends "/" and a running number, because a ROUTER may
	// refuse a second connection with the same name. A Sub sends it unchanged, which libzmq
	// never does.
	Identity string
	// Limits protect against a hostile server. A dialled peer counts as trusted, so its frame
	// limit is MaxFrame.
	Limits Limits
	// DialTimeout bounds connecting; Limits.HandshakeTimeout is added. Default 10 s.
	DialTimeout time.Duration
	// RequestTimeout bounds Req.Do if its context has no deadline. Default 60 s.
	RequestTimeout time.Duration
	// BackoffMin and BackoffMax bound the pause between attempts to connect (Salt's
	// recon_default and recon_max). Defaults 1 s and 10 s for a Sub, 100 ms and 5 s for a Req.
	BackoffMin, BackoffMax time.Duration
	// BackoffPlain removes the random part of the pause (Salt's recon_randomize false).
	BackoffPlain bool
	// MaxConns bounds the pool of a Req. Default 8.
	MaxConns int
	// IdleTimeout closes a pooled connection beyond the first. Default 30 s.
	IdleTimeout time.Duration
	// HeartbeatInterval and HeartbeatTimeout are as in RouterConfig.
	HeartbeatInterval time.Duration
	HeartbeatTimeout  time.Duration
	// HeartbeatTTL promises the server of a Sub to send something within this time, at most
	// 6553.5 s: a conforming server closes the connection otherwise. To keep the promise, a
	// PING is sent at each HeartbeatInterval, whether the server is silent or not and whatever
	// the handler does. Default 0: no promise.
	HeartbeatTTL time.Duration
	// Hearts sends the heartbeats of this socket and of others, each at its own intervals.
	// Default nil: the socket has its own goroutine.
	Hearts *Hearts
	// KeepAlive holds Salt's tcp_keepalive options. The zero value means 60 s idle, then 3
	// probes 20 s apart. To disable it, set Enable to false and Idle to -1.
	KeepAlive net.KeepAliveConfig
	// IPv6 selects the addresses of a host (Salt's ipv6): true prefers IPv6, false uses only
	// IPv4, nil either.
	IPv6 *bool
	// SourceAddr is the local address to connect from, "host" or "host:port".
	SourceAddr string
	Log        *slog.Logger // nil means slog.Default
	// OnConnect is called after each handshake (for a Sub, after it has sent its
	// subscriptions), OnDisconnect with the reason when such a connection ends.
	OnConnect    func()
	OnDisconnect func(error)

	via func() net.Conn // used instead of connecting, in tests
}

func (c DialConfig) withDefaults(backoffMin, backoffMax time.Duration) DialConfig {
	c.Limits = c.Limits.withDefaults()
	def(&c.DialTimeout, 10*time.Second)
	def(&c.RequestTimeout, time.Minute)
	def(&c.BackoffMin, backoffMin)
	def(&c.BackoffMax, max(backoffMax, c.BackoffMin))
	def(&c.MaxConns, 8)
	def(&c.IdleTimeout, 30*time.Second)
	def(&c.HeartbeatInterval, 10*time.Second)
	def(&c.HeartbeatTimeout, 30*time.Second)
	if c.KeepAlive == (net.KeepAliveConfig{}) {
		c.KeepAlive = defaultKeepAlive
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.OnConnect == nil {
		c.OnConnect = func() {}
	}
	if c.OnDisconnect == nil {
		c.OnDisconnect = func(error) {}
	}
	return c
}

// dial connects and does the handshake, under deadlines and the context. The caller sets up the
// rest of out and starts to read. dial needs a deep stack and runs on a goroutine of its own,
// because its caller may keep waiting for years, on a small one.
func (c *DialConfig) dial(ctx context.Context, addr string, local ready) (p *Peer, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p, err = c.dialHere(ctx, addr, local)
	}()
	<-done
	return p, err
}

func (c *DialConfig) dialHere(ctx context.Context, addr string, local ready) (*Peer, error) {
	addr = strings.TrimPrefix(addr, "tcp://")
	d := net.Dialer{Timeout: c.DialTimeout, KeepAliveConfig: c.KeepAlive}
	if c.KeepAlive.Enable {
		d.Control = userTimeout(c.KeepAlive)
	} else {
		d.KeepAlive = -1
	}
	if c.SourceAddr != "" {
		local, err := resolveSource(c.SourceAddr)
		if err != nil {
			return nil, fmt.Errorf("%w to %s: source address: %w", ErrDial, addr, err)
		}
		d.LocalAddr = local
	}
	conn, err := c.connect(ctx, &d, addr)
	if err != nil {
		return nil, fmt.Errorf("%w to %s: %w", ErrDial, addr, err)
	}
	_ = conn.SetDeadline(time.Now().Add(c.Limits.HandshakeTimeout))
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	p, err := handshake(conn, &c.Limits, nil, local, false)
	if !stop() {
		err = errors.Join(ctx.Err(), err)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("%w to %s: %w", ErrDial, addr, err)
	}
	p.Trust()
	p.out.gauge = new(gauges)
	p.out.maxBytes, p.out.maxItems = c.Limits.MaxFrame, math.MaxInt
	return p, nil
}

// connect dials an address of the requested family.
func (c *DialConfig) connect(ctx context.Context, d *net.Dialer, addr string) (net.Conn, error) {
	switch {
	case c.via != nil:
		return c.via(), nil
	case c.IPv6 == nil:
		return d.DialContext(ctx, "tcp", addr)
	case !*c.IPv6:
		return d.DialContext(ctx, "tcp4", addr)
	}
	conn, err := d.DialContext(ctx, "tcp6", addr)
	var none *net.AddrError
	var unknown *net.DNSError
	if errors.As(err, &none) || errors.As(err, &unknown) {
		return d.DialContext(ctx, "tcp4", addr)
	}
	return conn, err
}

func resolveSource(s string) (*net.TCPAddr, error) {
	if _, _, err := net.SplitHostPort(s); err != nil {
		s = net.JoinHostPort(strings.Trim(s, "[]"), "0")
	}
	return net.ResolveTCPAddr("tcp", s)
}
