package peer

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"
)

// Defaults of libzmq (zmq_setsockopt(3)), and the pace of Salt's requests: it sets
// ZMQ_RECONNECT_IVL_MAX to 5 s (Salt wire reference §2.2).
const (
	// DefaultReconnect is ZMQ_RECONNECT_IVL.
	DefaultReconnect = 100 * time.Millisecond
	// DefaultReconnectMax bounds how far a pause grows while nobody listens.
	DefaultReconnectMax = 5 * time.Second
	// DefaultHandshake is ZMQ_HANDSHAKE_IVL.
	DefaultHandshake = 30 * time.Second
	// DefaultMaxFrame bounds one frame, in bytes.
	DefaultMaxFrame = 64 << 20
)

// Counts are what befell connections. Safe for concurrent use.
type Counts struct {
	Opened  atomic.Int64 // connections that stood, READY and all
	Refused atomic.Int64 // nobody listened, or the system had no port or descriptor
	Cut     atomic.Int64 // broken by the server in their handshake, not greeted within Dialer.Handshake, or broken with a request under way
}

// Dialer says where to and how. It is small and copied freely.
type Dialer struct {
	// Addr is where the server listens.
	Addr netip.AddrPort
	// From is the address to connect from; the zero value leaves it to the system.
	From netip.Addr
	// Handshake bounds greeting and READY. Default [DefaultHandshake].
	Handshake time.Duration
	// MaxFrame bounds a frame that is taken, in bytes. Default [DefaultMaxFrame].
	MaxFrame int
	// Counts is told what happens; nil: nobody.
	Counts *Counts
}

func (d Dialer) maxFrame() int {
	if d.MaxFrame > 0 {
		return d.MaxFrame
	}
	return DefaultMaxFrame
}

func (d Dialer) count(which func(*Counts) *atomic.Int64) {
	if d.Counts != nil {
		which(d.Counts).Add(1)
	}
}

func opened(c *Counts) *atomic.Int64  { return &c.Opened }
func refused(c *Counts) *atomic.Int64 { return &c.Refused }
func cut(c *Counts) *atomic.Int64     { return &c.Cut }

// open connects and shakes hands as a socket of a kind. again is how libzmq would
// go on after an error: true means after its first pause, since a connection did
// stand, false after a pause that grows.
func (d Dialer) open(ctx context.Context, kind string, identity int) (c *conn, again bool, err error) {
	nc, err := dial(ctx, d.Addr, d.From)
	if err != nil {
		if ctx.Err() == nil {
			d.count(refused)
		}
		return nil, false, err
	}
	patience := d.Handshake
	if patience <= 0 {
		patience = DefaultHandshake
	}
	c = newConn(nc, d.maxFrame())
	// The deadline of ctx is left to endWith: a read that ends a moment before ctx does would
	// look as if the server had broken the connection.
	_ = nc.SetDeadline(time.Now().Add(patience)) // a connection that takes no deadline fails at the first read
	stop := c.endWith(ctx)
	defer stop()
	if err := c.handshake(kind, identity); err != nil {
		c.Close()
		if ctx.Err() == nil {
			d.count(cut)
		}
		return nil, true, err
	}
	d.count(opened)
	if ctx.Err() == nil {
		_ = nc.SetDeadline(time.Time{})
	}
	return c, false, nil
}
