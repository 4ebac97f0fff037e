package peer

import (
	"context"
	"sync"
	"time"
)

// SubConfig configures a [Sub].
type SubConfig struct {
	// Identity is the length of the identity that the greeting reveals: a stock minion sets its
	// id, which libzmq does not send in READY.
	Identity int
	// Topics are the subscriptions; "" means everything.
	Topics []string
	// Reconnect is the pause after a connection broke. It doubles up to ReconnectMax while
	// nothing listens. Defaults as for a request; Salt draws its pause of 1 to 11 s once
	// (recon_default, recon_max).
	Reconnect, ReconnectMax time.Duration
	// Deliver is called with the topic ("" without one) and body of each message. It must not
	// keep or change the body. The next message waits until it returns.
	Deliver func(topic string, body []byte)
	// Changed is called when the subscription is up and when it is down; may be nil.
	Changed func(up bool)
}

// Sub is a subscription that reconnects until it is closed.
type Sub struct {
	d   Dialer
	cfg SubConfig
	ctx context.Context

	mu     sync.Mutex
	conn   *conn // nil if not connected
	timer  *time.Timer
	pause  time.Duration
	closed bool
	busy   sync.WaitGroup
}

// Subscribe starts to connect. The end of ctx does not close an existing connection: Close
// does.
func (d Dialer) Subscribe(ctx context.Context, cfg SubConfig) *Sub {
	if cfg.Reconnect <= 0 {
		cfg.Reconnect = DefaultReconnect
	}
	if cfg.ReconnectMax <= 0 {
		cfg.ReconnectMax = DefaultReconnectMax
	}
	s := &Sub{d: d, cfg: cfg, ctx: ctx, pause: min(cfg.Reconnect, cfg.ReconnectMax)}
	s.busy.Add(1)
	go s.connect()
	return s
}

// Close ends the subscription and waits until Deliver has returned for the last time. Deliver
// and Changed must not call it; see [Sub.Drop].
func (s *Sub) Close() {
	s.Drop()
	s.busy.Wait()
}

// Drop ends the subscription without waiting.
func (s *Sub) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.conn != nil {
		s.conn.Close()
	}
	if s.timer != nil && s.timer.Stop() {
		s.busy.Done()
	}
	s.timer = nil
}

// connect tries once. Another goroutine reads, so that the stack for connecting does not live
// as long as the connection.
func (s *Sub) connect() {
	defer s.busy.Done()
	c, again, err := s.d.open(s.ctx, "SUB", s.cfg.Identity)
	if err == nil {
		b := c.begin()
		for _, topic := range s.cfg.Topics {
			b = appendCommand(b, "SUBSCRIBE", []byte(topic))
		}
		if _, err = c.Write(b); err != nil {
			c.Close()
			again = true
		}
	}
	if err != nil {
		s.later(again)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.ctx.Err() != nil {
		c.Close()
		return
	}
	s.conn, s.pause = c, min(s.cfg.Reconnect, s.cfg.ReconnectMax)
	s.busy.Add(1)
	go s.read(c)
}

// later reconnects after libzmq's pause.
func (s *Sub) later(again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = nil
	if s.closed || s.ctx.Err() != nil {
		return
	}
	pause := s.pause
	if again {
		s.pause = min(s.cfg.Reconnect, s.cfg.ReconnectMax)
		pause = s.pause
	} else {
		s.pause = min(2*s.pause, s.cfg.ReconnectMax)
	}
	s.busy.Add(1)
	s.timer = time.AfterFunc(pause, s.connect)
}

// read delivers messages until the connection ends.
func (s *Sub) read(c *conn) {
	defer s.busy.Done()
	s.notify(true)
	for s.message(c) == nil {
	}
	c.Close()
	s.notify(false)
	s.later(true)
}

func (s *Sub) notify(up bool) {
	if s.cfg.Changed != nil {
		s.cfg.Changed(up)
	}
}

// message reads one frame or, with a topic, two.
func (s *Sub) message(c *conn) error {
	f, done, err := c.next()
	if err != nil {
		return err
	}
	if f.command() {
		err := c.pong(f)
		c.take(done)
		return err
	}
	if !f.more() {
		s.cfg.Deliver("", f.body)
		c.take(done)
		return nil
	}
	topic := string(f.body)
	c.take(done)
	f, done, err = c.next()
	if err != nil {
		return err
	}
	if f.command() || f.more() {
		c.take(done)
		return ErrFrame
	}
	s.cfg.Deliver(topic, f.body)
	c.take(done)
	return nil
}
