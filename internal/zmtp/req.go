package zmtp

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// Req sends requests and waits for their replies. Concurrent requests use separate connections,
// each with one request in flight, up to DialConfig.MaxConns; further requests wait.
type Req struct {
	addr  string
	cfg   DialConfig
	slots chan struct{}
	stop  chan struct{}
	once  sync.Once
	wg    sync.WaitGroup
	calm  func() // ends the heartbeat

	mu     sync.Mutex
	closed bool
	all    map[*reqConn]struct{}
	idle   []*reqConn // the most recently used one is last
	wait   backoff
	notYet time.Time // do not dial before this time

	requests, replies, failures, connects, dialFailures atomic.Uint64
}

// ReqStats are the counters of a Req.
type ReqStats struct {
	Conns        int // gauge
	Idle         int // gauge
	Waiting      int // gauge: requests in progress
	Requests     uint64
	Replies      uint64
	Failures     uint64 // requests without a reply, for any reason
	Connects     uint64
	DialFailures uint64
}

// slot numbers the identities in this process.
var slot atomic.Uint64

// NewReq returns a Req for a ROUTER or REP at addr, "host:port" with or without the prefix
// "tcp://". It connects on first use.
func NewReq(addr string, cfg DialConfig) *Req {
	cfg = cfg.withDefaults(100*time.Millisecond, 5*time.Second)
	q := &Req{
		addr:  addr,
		cfg:   cfg,
		slots: make(chan struct{}, cfg.MaxConns),
		stop:  make(chan struct{}),
		all:   make(map[*reqConn]struct{}),
		wait:  backoff{min: cfg.BackoffMin, max: cfg.BackoffMax, plain: cfg.BackoffPlain},
	}
	q.calm = heart{interval: cfg.HeartbeatInterval, timeout: cfg.HeartbeatTimeout, peers: q.snapshot}.with(cfg.Hearts)
	return q
}

// Stats returns the counters.
func (q *Req) Stats() ReqStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return ReqStats{
		Conns:        len(q.all),
		Idle:         len(q.idle),
		Waiting:      len(q.slots),
		Requests:     q.requests.Load(),
		Replies:      q.replies.Load(),
		Failures:     q.failures.Load(),
		Connects:     q.connects.Load(),
		DialFailures: q.dialFailures.Load(),
	}
}

// Do sends body and waits for the reply. It fails with ErrDial if no connection could be made:
// the request was not sent. It fails with ErrLost or the context's error after the request may
// have been sent; whether it was executed is then unknown. A server that is down is not dialled
// more often than the back-off allows; Do waits for that. The body must not be changed
// afterwards.
func (q *Req) Do(ctx context.Context, body []byte) ([]byte, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.cfg.RequestTimeout)
		defer cancel()
	}
	q.requests.Add(1)
	reply, err := q.do(ctx, body)
	if err != nil {
		q.failures.Add(1)
		return nil, fmt.Errorf("request to %s: %w", q.addr, err)
	}
	q.replies.Add(1)
	return reply, nil
}

func (q *Req) do(ctx context.Context, body []byte) ([]byte, error) {
	if len(body) > q.cfg.Limits.MaxFrame {
		return nil, fmt.Errorf("%w: request of %d bytes, limit %d", ErrFrameSize, len(body), q.cfg.Limits.MaxFrame)
	}
	if err := q.queue(ctx); err != nil {
		return nil, err
	}
	defer func() { <-q.slots }()
	c, err := q.take(ctx)
	if err != nil {
		return nil, err
	}
	reply, err := c.exchange(ctx, body)
	if err != nil {
		c.peer.close(err)
		return nil, err
	}
	q.give(c)
	return reply, nil
}

// queue waits until another request is allowed.
func (q *Req) queue(ctx context.Context) error {
	select {
	case q.slots <- struct{}{}:
		return nil
	case <-q.stop:
		return ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("wait for a free connection: %w", ctx.Err())
	}
}

// take returns an idle connection or makes one.
func (q *Req) take(ctx context.Context) (*reqConn, error) {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(q.idle); n > 0 {
		c := q.idle[n-1]
		q.idle = q.idle[:n-1]
		q.mu.Unlock()
		return c, nil
	}
	pause := time.Until(q.notYet)
	q.mu.Unlock()
	if pause > 0 {
		if err := timing.Sleep(ctx, pause); err != nil {
			return nil, fmt.Errorf("%w: waiting to try again: %w", ErrDial, err)
		}
	}
	local := ready{socketType: "REQ"}
	if q.cfg.Identity != "" {
		local.identity = q.cfg.Identity + "/" + strconv.FormatUint(slot.Add(1)-1, 10)
	}
	p, err := q.cfg.dial(ctx, q.addr, local)
	q.mu.Lock()
	if err != nil {
		q.dialFailures.Add(1)
		q.notYet = time.Now().Add(q.wait.next())
		q.mu.Unlock()
		return nil, err
	}
	if q.closed {
		q.mu.Unlock()
		p.Close()
		return nil, ErrClosed
	}
	q.wait.reset()
	q.notYet = time.Time{}
	c := &reqConn{peer: p, replies: make(chan []byte, 1)}
	q.all[c] = struct{}{}
	q.wg.Go(func() { q.attend(c) })
	q.mu.Unlock()
	q.connects.Add(1)
	q.cfg.OnConnect()
	return c, nil
}

// give makes a connection idle again.
func (q *Req) give(c *reqConn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, alive := q.all[c]; alive {
		c.since = time.Now()
		q.idle = append(q.idle, c)
	}
}

// attend reads a connection until it ends and removes it from the pool.
func (q *Req) attend(c *reqConn) {
	err := c.read()
	c.peer.close(err)
	c.peer.out.done.Wait()
	q.mu.Lock()
	delete(q.all, c)
	for i, other := range q.idle {
		if other == c {
			q.idle = append(q.idle[:i], q.idle[i+1:]...)
			break
		}
	}
	q.mu.Unlock()
	q.cfg.OnDisconnect(c.peer.err)
}

// snapshot lists the connections for the heartbeat and closes those that have been idle too
// long. The most recently used one stays.
func (q *Req) snapshot(into []*Peer) []*Peer {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.idle) > 1 && time.Since(q.idle[0].since) > q.cfg.IdleTimeout {
		c := q.idle[0]
		q.idle = q.idle[1:]
		c.peer.Close()
	}
	for c := range q.all {
		into = append(into, c.peer)
	}
	return into
}

// Close closes all connections; requests in progress fail with ErrClosed.
func (q *Req) Close() error {
	q.once.Do(func() {
		q.mu.Lock()
		q.closed = true
		for c := range q.all {
			c.peer.Close()
		}
		q.mu.Unlock()
		close(q.stop)
		q.calm()
	})
	q.wg.Wait()
	return nil
}

// reqConn is a connection of the pool.
type reqConn struct {
	peer    *Peer
	waiting atomic.Bool // a request is in flight
	replies chan []byte // one slot
	since   time.Time   // idle since
}

// exchange sends a request and waits for its reply. After an error the connection cannot be
// reused: a late reply would be mistaken for that of the next request.
func (c *reqConn) exchange(ctx context.Context, body []byte) ([]byte, error) {
	c.waiting.Store(true)
	if err := c.peer.out.put(seal(bareEnvelope, body)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLost, c.peer.reason(err))
	}
	select {
	case reply := <-c.replies:
		return reply, nil
	case <-ctx.Done():
	case <-c.peer.dead:
	}
	return c.late(ctx)
}

// late returns the reply if it has arrived when the wait ends.
func (c *reqConn) late(ctx context.Context) ([]byte, error) {
	if !c.peer.Gone() {
		return nil, fmt.Errorf("wait for the reply: %w", ctx.Err())
	}
	select {
	case reply := <-c.replies: // it arrived just before the end
		return reply, nil
	default:
		return nil, fmt.Errorf("%w: %w", ErrLost, c.peer.err)
	}
}

// read passes replies on until the connection ends. An unexpected reply ends it.
func (c *reqConn) read() error {
	for {
		frames, err := c.peer.recv()
		if err != nil {
			return err
		}
		if len(frames) != 2 || len(frames[0]) != 0 {
			return fmt.Errorf("%w: reply of %d frames, need an empty one and one more", ErrEnvelope, len(frames))
		}
		if !c.waiting.CompareAndSwap(true, false) {
			return fmt.Errorf("%w: reply without a request", ErrEnvelope)
		}
		c.replies <- frames[1]
	}
}
