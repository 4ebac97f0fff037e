package peer

import (
	"context"
	"sync"
	"time"
)

// SubConfig says what a [Sub] wants and whom it tells.
type SubConfig struct {
	// Identity is the length of the identity that the greeting hints at: a stock
	// minion sets its id, which libzmq does not put into READY.
	Identity int
	// Topics are the subscriptions; "" is everything.
	Topics []string
	// Reconnect is the pause after a connection that broke, which doubles up to
	// ReconnectMax while nobody listens. Defaults as a request's; Salt draws its
	// pause of 1 to 11 s once (recon_default, recon_max).
	Reconnect, ReconnectMax time.Duration
	// Deliver is called with each message: its topic ("" without one) and body,
	// which it must not keep or change. The next message waits for it.
	Deliver func(topic string, body []byte)
	// Changed is told when the subscription stands and when it is gone; nil: nobody.
	Changed func(up bool)
}

// Sub is a subscription that is made again until it is closed.
type Sub struct {
	d   Dialer
	cfg SubConfig
	ctx context.Context

	mu     sync.Mutex
	conn   *conn // nil: not connected
	timer  *time.Timer
	pause  time.Duration
	closed bool
	busy   sync.WaitGroup
}

// Subscribe begins to connect. The end of ctx does not close what stands: Close does.
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

// Close ends the subscription and waits until nothing is delivered any more. It must
// not be called by Deliver or Changed; see [Sub.Drop].
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

// connect tries once. Reading is left to another goroutine, so that the stack of
// what connects does not last as long as the connection.
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

// later connects again after the pause that libzmq makes.
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

// read delivers what comes until the connection is gone.
func (s *Sub) read(c *conn) {
	defer s.busy.Done()
	s.tell(true)
	for s.message(c) == nil {
	}
	c.Close()
	s.tell(false)
	s.later(true)
}

func (s *Sub) tell(up bool) {
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
