package peer

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"
)

// Defaults of libzmq (zmq_setsockopt(3)), and the pauses of Salt's requests: it sets
// ZMQ_RECONNECT_IVL_MAX to 5 s (Salt wire reference §2.2).
const (
	// DefaultReconnect is ZMQ_RECONNECT_IVL.
	DefaultReconnect = 100 * time.Millisecond
	// DefaultReconnectMax bounds the growing pause while nothing listens.
	DefaultReconnectMax = 5 * time.Second
	// DefaultHandshake is ZMQ_HANDSHAKE_IVL.
	DefaultHandshake = 30 * time.Second
	// DefaultMaxFrame bounds a frame in bytes.
	DefaultMaxFrame = 64 << 20
)

// Counts counts events of connections. It is safe for concurrent use.
type Counts struct {
	Opened  atomic.Int64 // connections that completed their handshake
	Refused atomic.Int64 // nothing listened, or the system had no port or descriptor
	Cut     atomic.Int64 // broken by the server in their handshake, not greeted within Dialer.Handshake, or broken with a request under way
}

// Dialer configures connections. It is small and copied freely.
type Dialer struct {
	// Addr is the address of the server.
	Addr netip.AddrPort
	// From is the address to connect from; with the zero value the system chooses.
	From netip.Addr
	// Handshake bounds greeting and READY. Default [DefaultHandshake].
	Handshake time.Duration
	// MaxFrame bounds an accepted frame in bytes. Default [DefaultMaxFrame].
	MaxFrame int
	// Counts counts the connections; may be nil.
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

// open connects and does the handshake of a socket of that kind. again reports how libzmq would
// retry after an error: true means after its first pause, because the connection was
// established, false after a growing pause.
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
	// endWith applies the deadline of ctx: a read that ends shortly before ctx would look as if
	// the server had closed the connection.
	_ = nc.SetDeadline(time.Now().Add(patience)) // without a deadline, the first read fails
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
