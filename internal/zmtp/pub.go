package zmtp

import (
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
)

// SlowPolicy says how a subscriber with a full queue is handled.
type SlowPolicy int

const (
	// CutSlow closes its connection, so that it knows that it has missed something.
	CutSlow SlowPolicy = iota
	// DropSlow drops the messages that do not fit, as libzmq does.
	DropSlow
)

// maxShards bounds the shards; more goroutines do not speed up a publication.
const maxShards = 8

// PubConfig configures a Pub. Zero fields mean the defaults.
type PubConfig struct {
	// Limits of frames do not apply: a subscriber may send 257 bytes at a time.
	Limits Limits
	// HWM and HWMBytes bound the queue of a subscriber (Salt's pub_hwm). Defaults 1000 messages
	// and 16 MiB.
	HWM      int
	HWMBytes int
	// Slow is the policy above that bound. A subscriber that reads nothing at all for
	// Limits.StallTimeout is always closed.
	Slow SlowPolicy
	// Filtering allows topics (Salt's zmq_filtering). Without it Send rejects them, because
	// every subscriber would get each copy.
	Filtering bool
	// Trusted reports whether honest peers have connected from a source address before. A
	// connection from there gives way last, and not before TrustedFor without Peer.Trust; a
	// negative TrustedFor means never. If nil, no address is trusted.
	Trusted    func(netip.Addr) bool
	TrustedFor time.Duration
	// Listen, HeartbeatInterval and HeartbeatTimeout are as in RouterConfig.
	Listen            ListenConfig
	HeartbeatInterval time.Duration
	HeartbeatTimeout  time.Duration
	// OnSubscribe is called for each new subscription, OnClose once when a peer has
	// disconnected. Both run on that peer's reader and should be fast.
	OnSubscribe func(p *Peer, topic string)
	OnClose     func(p *Peer, err error)
	Log         *slog.Logger // nil means slog.Default
}

// Pub publishes messages to peers by their subscriptions.
type Pub struct {
	host      host
	cfg       PubConfig
	shards    []*shard
	turn      atomic.Uint32
	sent      atomic.Uint64
	delivered atomic.Uint64
	dropped   atomic.Uint64
}

// PubStats are the counters of a Pub.
type PubStats struct {
	HostStats
	Sent        uint64 // calls of Send
	FannedOut   uint64 // of these, passed to all current subscribers
	Delivered   uint64 // messages passed to a connection or its queue
	Dropped     uint64 // messages dropped because the queue was full
	Queued      int    // gauge: messages waiting for the fan-out
	Subscribers int    // gauge: peers with at least one subscription
}

// ListenPub binds addr, "host:port" with or without the prefix "tcp://".
func ListenPub(addr string, cfg PubConfig) (*Pub, error) {
	def(&cfg.HWM, 1000)
	def(&cfg.HWMBytes, 16<<20)
	// A subscriber sends nothing but its subscriptions.
	cfg.Limits.MaxFrame, cfg.Limits.MaxFrameUntrusted = maxSubscription, maxSubscription
	p := &Pub{cfg: cfg}
	p.host = host{kind: "PUB", lim: cfg.Limits, how: cfg.Listen, log: cfg.Log, ready: p.ready, serve: p.serve, ended: cfg.OnClose}
	p.host.idle.address, p.host.idle.known = cfg.Trusted, cfg.TrustedFor
	beat := heart{interval: cfg.HeartbeatInterval, timeout: cfg.HeartbeatTimeout}
	for range min(runtime.GOMAXPROCS(0), maxShards) {
		p.shards = append(p.shards, newShard(p))
	}
	if err := p.host.listen(addr, beat); err != nil {
		return nil, err
	}
	for _, s := range p.shards {
		p.host.wg.Go(s.run)
	}
	return p, nil
}

// Addr returns the address that the socket is bound to.
func (p *Pub) Addr() net.Addr { return p.host.ln.Addr() }

// Peers returns the number of connected peers, subscribed or not.
func (p *Pub) Peers() int {
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	return len(p.host.peers)
}

// Selects reports whether a connected peer, subscribed or not, is selected.
func (p *Pub) Selects(to *Choice) bool {
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	for _, peer := range p.host.peers {
		if to.has(peer) {
			return true
		}
	}
	return false
}

// Stats returns the counters.
func (p *Pub) Stats() PubStats {
	s := PubStats{
		HostStats: p.host.stats(),
		Sent:      p.sent.Load(),
		Delivered: p.delivered.Load(),
		Dropped:   p.dropped.Load(),
	}
	s.FannedOut = s.Sent
	for _, sh := range p.shards {
		s.FannedOut = min(s.FannedOut, sh.out.Load())
		s.Queued += len(sh.in)
		s.Subscribers += sh.size()
	}
	return s
}

// Send publishes body. Without a topic it is sent, as one frame, to every subscriber regardless
// of its subscriptions. With a topic it is sent, as two frames, to peers with a subscription
// that is a prefix of the topic. Send never waits for a subscriber, only for the fan-out if
// that is 64 messages behind. The body must not be changed afterwards.
func (p *Pub) Send(topic string, body []byte) error { return p.SendTo(topic, body, nil) }

// SendTo is Send to some peers only; nil means all.
func (p *Pub) SendTo(topic string, body []byte, to *Choice) error {
	if topic != "" && !p.cfg.Filtering {
		return ErrFilteringOff
	}
	m := publication{topic: topic, wire: encode(topic, body), to: to}
	p.sent.Add(1)
	for _, s := range p.shards {
		select {
		case s.in <- m:
		case <-p.host.stop:
			return ErrClosed
		}
	}
	return nil
}

// SendPeer sends a message to one connection only, by its [Peer.ID], regardless of its
// subscriptions and at a cost that does not grow with the number of subscribers. A SUB of
// libzmq drops messages that match no subscription, so with Filtering a topic is required.
// ErrClosed means that the connection has ended, ErrSlow that its queue is full and the message
// was dropped.
func (p *Pub) SendPeer(id uint64, topic string, body []byte) error {
	if topic != "" && !p.cfg.Filtering {
		return ErrFilteringOff
	}
	p.host.mu.Lock()
	peer := p.host.peers[id]
	p.host.mu.Unlock()
	if peer == nil {
		return ErrClosed
	}
	if err := peer.out.put(item{wire: encode(topic, body), messages: 1}); err != nil {
		return err
	}
	p.delivered.Add(1)
	return nil
}

// encode encodes the frames of a message, with or without a topic.
func encode(topic string, body []byte) []byte {
	n := len(body) + longHeader
	if topic != "" {
		n += len(topic) + longHeader
	}
	wire := make([]byte, 0, n)
	if topic != "" {
		wire = append(appendHeader(wire, flagMore, len(topic)), topic...)
	}
	return appendFrame(wire, 0, body)
}

// Close closes all connections and waits for their readers. Unsent messages are lost.
func (p *Pub) Close() error { return p.host.close() }

func (p *Pub) ready(peer *Peer) {
	peer.out.maxBytes, peer.out.maxItems = p.cfg.HWMBytes, p.cfg.HWM
	s := p.shards[int(p.turn.Add(1))%len(p.shards)]
	peer.sub = &subscriber{peer: peer, shard: s}
	peer.guard.begin(func(name, body []byte) error {
		switch string(name) {
		case cmdSubscribe:
			return p.subscribe(peer, string(body))
		case zmq4.CmdCancel:
			peer.sub.cancel(string(body))
			return nil
		}
		return peer.command(name, body)
	})
}

// serve reads subscriptions in their older form, a message that begins with 1 or 0. It ignores
// other messages, as libzmq does.
func (p *Pub) serve(peer *Peer) error {
	defer peer.sub.cancelAll()
	for {
		frames, err := peer.recv()
		if err != nil {
			return err
		}
		if len(frames) != 1 || len(frames[0]) == 0 {
			continue
		}
		switch topic := string(frames[0][1:]); frames[0][0] {
		case 1:
			err = p.subscribe(peer, topic)
		case 0:
			peer.sub.cancel(topic)
		}
		if err != nil {
			return err
		}
	}
}

func (p *Pub) subscribe(peer *Peer, topic string) error {
	added, err := peer.sub.add(topic)
	if added && p.cfg.OnSubscribe != nil {
		p.cfg.OnSubscribe(peer, topic)
	}
	return err
}
