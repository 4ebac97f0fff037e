package zmtp

import (
	"log/slog"
	"math"
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// RouterConfig configures a Router. Zero fields mean the defaults.
type RouterConfig struct {
	Limits Limits
	// Credit is the number of requests that a connection may have in flight, including those
	// whose replies it has not read. Default 4.
	Credit int
	// QueueBytes bounds the replies that wait for one connection; a single larger reply is
	// still sent. Default 64 MiB.
	QueueBytes int
	// HeartbeatInterval is the silence after which a peer is sent a PING. HeartbeatTimeout is
	// the silence after which it is cut, if it is known to answer. Defaults 10 s and 30 s.
	HeartbeatInterval time.Duration
	HeartbeatTimeout  time.Duration
	// Listen configures the listening socket.
	Listen ListenConfig
	// Trusted reports whether honest peers have connected from a source address before. A
	// connection from there may send frames up to Limits.MaxFrame at once, as needed for a
	// connection that a peer opens for a single large request, and is charged to
	// Limits.RequestBytes. It gives way last. If nil, no address is trusted.
	Trusted func(netip.Addr) bool
	Log     *slog.Logger // nil means slog.Default
}

// Router receives requests from REQ and DEALER peers and sends each reply on the connection of
// its request.
type Router struct {
	host    host
	handler func(*Request)
	trusted func(netip.Addr) bool
	credit  int
	bytes   int

	requests, replies, lostReplies, dropped, creditWaits atomic.Uint64
}

// RouterStats are the counters of a Router.
type RouterStats struct {
	HostStats
	Requests    uint64
	Replies     uint64 // sent or queued
	LostReplies uint64 // the connection had ended or its queue was full
	Dropped     uint64 // Request.Drop
	CreditWaits uint64 // times a reader had to wait until a reply was sent
}

// ListenRouter binds addr, "host:port" with or without the prefix "tcp://", and serves it. The
// handler runs on the connection's reader: while it runs, that connection is not read, but
// others are. It may keep the request and reply later.
func ListenRouter(addr string, cfg RouterConfig, h func(*Request)) (*Router, error) {
	def(&cfg.Credit, 4)
	def(&cfg.QueueBytes, 64<<20)
	r := &Router{handler: h, trusted: cfg.Trusted, credit: cfg.Credit, bytes: cfg.QueueBytes}
	r.host = host{kind: "ROUTER", lim: cfg.Limits, how: cfg.Listen, log: cfg.Log, ready: r.ready, serve: r.serve}
	r.host.idle.address = cfg.Trusted
	beat := heart{interval: cfg.HeartbeatInterval, timeout: cfg.HeartbeatTimeout}
	if err := r.host.listen(addr, beat); err != nil {
		return nil, err
	}
	return r, nil
}

// Addr returns the address that the socket is bound to.
func (r *Router) Addr() net.Addr { return r.host.ln.Addr() }

// Stats returns the counters.
func (r *Router) Stats() RouterStats {
	return RouterStats{
		HostStats:   r.host.stats(),
		Requests:    r.requests.Load(),
		Replies:     r.replies.Load(),
		LostReplies: r.lostReplies.Load(),
		Dropped:     r.dropped.Load(),
		CreditWaits: r.creditWaits.Load(),
	}
}

// Close closes all connections and waits for their readers, and so for running handlers.
// Replies to earlier requests are dropped.
func (r *Router) Close() error { return r.host.close() }

func (r *Router) ready(p *Peer) {
	p.guard.vouched = r.trusted != nil && r.trusted(p.Source())
	p.credit = make(chan struct{}, r.credit)
	p.out.maxBytes, p.out.maxItems = r.bytes, math.MaxInt
	p.out.sent = func(it item) {
		if it.messages > 0 {
			p.rest()
			p.returnCredit()
		}
	}
}

func (r *Router) serve(p *Peer) error {
	for {
		if len(p.credit) == cap(p.credit) {
			r.creditWaits.Add(1)
		}
		if err := p.takeCredit(); err != nil {
			return err
		}
		frames, err := p.recv()
		if err != nil {
			return err
		}
		envelope, body, err := splitEnvelope(frames)
		if err != nil {
			return err
		}
		r.requests.Add(1)
		r.handler(&Request{
			Peer: p, Body: body, router: r, envelope: envelope, charge: p.guard.takeCharge(),
		})
	}
}
