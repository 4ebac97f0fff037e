package zmtp

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// Sub receives publications. While Run runs, it connects, and reconnects if necessary.
type Sub struct {
	addr   string
	cfg    DialConfig
	topics []string
}

// NewSub returns a Sub for a PUB at addr, "host:port" with or without the prefix "tcp://".
// Topics are prefixes; the empty one, or an empty list, means everything.
func NewSub(addr string, cfg DialConfig, topics []string) *Sub {
	if len(topics) == 0 {
		topics = []string{""}
	}
	return &Sub{addr: addr, cfg: cfg.withDefaults(time.Second, 10*time.Second), topics: topics}
}

// Run connects, subscribes and calls h with each message, on one goroutine, until the context
// ends, and returns its error. The frames belong to h.
func (s *Sub) Run(ctx context.Context, h func(frames [][]byte)) error {
	wait := backoff{min: s.cfg.BackoffMin, max: s.cfg.BackoffMax, plain: s.cfg.BackoffPlain}
	for ctx.Err() == nil {
		p, err := s.cfg.dial(ctx, s.addr, ready{socketType: "SUB", identity: s.cfg.Identity})
		if err == nil {
			wait.reset()
			err = s.serve(ctx, p, h)
		}
		if ctx.Err() != nil {
			break
		}
		d := wait.next()
		s.cfg.Log.Warn("no connection to publisher", "addr", s.addr, "err", err, "retry_in", d)
		if timing.Sleep(ctx, d) != nil {
			break
		}
	}
	return context.Cause(ctx)
}

// serve uses a connection until it ends.
func (s *Sub) serve(ctx context.Context, p *Peer, h func([][]byte)) error {
	forget := context.AfterFunc(ctx, p.Close)
	calm, err := s.subscribe(p)
	if err == nil {
		s.cfg.OnConnect()
		err = deliver(p, h)
		s.cfg.OnDisconnect(err)
	}
	p.Close()
	calm()
	p.out.done.Wait()
	forget()
	return err
}

// subscribe sends the subscriptions; calm ends the heartbeat that it starts.
func (s *Sub) subscribe(p *Peer) (calm func(), err error) {
	calm = func() {}
	for _, t := range s.topics {
		wire := append(append(appendHeader(nil, 0, 1+len(t)), 1), t...)
		if err := p.out.put(item{wire: wire, messages: 1}); err != nil {
			return calm, err
		}
	}
	beat := heart{interval: s.cfg.HeartbeatInterval, timeout: s.cfg.HeartbeatTimeout, promise: s.cfg.HeartbeatTTL, peers: one(p)}
	if beat.promise > 0 { // at once: otherwise a peer that falls silent now has promised nothing
		if err := p.out.put(item{wire: pingWire(beat.promise)}); err != nil {
			return calm, err
		}
	}
	return beat.with(s.cfg.Hearts), nil
}

// deliver passes messages on until the connection ends. It waits on a small stack, because
// there may be thousands.
func deliver(p *Peer, h func([][]byte)) error {
	for {
		frames, err := p.recv()
		if err != nil {
			return err
		}
		h(frames)
	}
}

// one returns the list of a single peer.
func one(p *Peer) func([]*Peer) []*Peer {
	return func(into []*Peer) []*Peer { return append(into, p) }
}
