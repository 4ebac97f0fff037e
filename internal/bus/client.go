package bus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"time"
)

// ClientConfig configures the access to a master's event sockets. Zero fields mean the defaults
// in brackets.
type ClientConfig struct {
	SockDir  string
	PubName  string // [MasterPubName]
	PullName string // [MasterPullName]
	IPCMode  string // "ipc" [default] or "tcp" on 127.0.0.1
	PubPort  int    // tcp only [4512]
	PullPort int    // tcp only [4513]

	// Framing is the framing of fired events [Length]. A mom master accepts both, a Python one
	// only its own, which Auto detects. The framing of received events is detected from their
	// bytes.
	Framing  Framing
	MaxFrame int              // [DefaultMaxFrame]
	Now      func() time.Time // [time.Now] stamps fired events
}

// withDefaults returns cfg with the defaults of unset fields.
func (cfg ClientConfig) withDefaults() ClientConfig {
	srv := ServerConfig{PubName: cfg.PubName, PullName: cfg.PullName}.withDefaults()
	cfg.PubName, cfg.PullName = srv.PubName, srv.PullName
	if cfg.PubPort == 0 {
		cfg.PubPort = 4512
	}
	if cfg.PullPort == 0 {
		cfg.PullPort = 4513
	}
	if cfg.Framing == "" {
		cfg.Framing = Length
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return cfg
}

// Client reads and fires events on the local sockets of a master. Only one goroutine may call
// Next at a time; all other methods are safe for concurrent use.
type Client struct {
	*Writer
	conn   net.Conn
	frames *frameReader
	first  *Event // read by Dial, not yet returned
	listed bool   // an event has arrived, so the master delivers events to us
}

// helloWait is how long Dial waits for the master's first frame. A mom master sends one at
// once. A Python master may not; the wait then gives it time to accept the connection.
const helloWait = 50 * time.Millisecond

// Dial connects to the socket for reading events. A master delivers events only after it has
// noticed the connection, so Dial waits for a moment. A mom master confirms it: if
// [Client.Listed] returns true, every event fired after Dial returned is delivered.
func Dial(ctx context.Context, cfg ClientConfig) (*Client, error) {
	cfg = cfg.withDefaults()
	pub, err := placeOf(cfg.IPCMode, cfg.SockDir, cfg.PubName, cfg.PubPort)
	if err != nil {
		return nil, fmt.Errorf("event bus: %w", err)
	}
	conn, err := pub.dial(ctx)
	switch {
	//mutant:unreachable-bus-names-the-cause
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("connecting to the event bus: %w; %s", err, who(pub.path))
	case err != nil:
		return nil, fmt.Errorf("connecting to the event bus (is the master running on this host?): %w", err)
	}
	c := &Client{Writer: NewWriter(cfg), conn: conn, frames: newFrameReader(conn, cfg.MaxFrame)}
	wait, cancel := context.WithTimeout(ctx, helloWait)
	defer cancel()
	if err := c.AwaitListed(wait); err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		_ = conn.Close()
		return nil, fmt.Errorf("connecting to the event bus: %w", err)
	}
	return c, nil
}

// Listed reports whether the master is known to deliver events to this client. If it is false
// after Dial, the master is a Python one on whose bus nothing has happened, or a busy mom
// master.
func (c *Client) Listed() bool { return c.listed }

// AwaitListed waits for the first frame, which proves that the master delivers events to this
// client. A mom master sends it at once. Next must not be called before AwaitListed has
// returned.
func (c *Client) AwaitListed(ctx context.Context) error {
	if c.listed {
		return nil
	}
	e, err := c.read(ctx)
	if err != nil {
		return err
	}
	if c.listed = true; e.Tag != helloTag {
		c.first = &e
	}
	return nil
}

// Next returns the next event. If ctx ends first, its error is returned, no event is lost, and
// Next may be called again. io.EOF, possibly wrapped, means that the master has closed the
// socket, because it stopped or because this reader was too slow.
func (c *Client) Next(ctx context.Context) (Event, error) {
	if e := c.first; e != nil {
		c.first = nil
		return *e, nil
	}
	for {
		e, err := c.read(ctx)
		if err != nil || e.Tag != helloTag {
			return e, err
		}
	}
}

func (c *Client) read(ctx context.Context) (Event, error) {
	if err := ctx.Err(); err != nil {
		return Event{}, err
	}
	// A deadline in the past interrupts the read; reset it before the next one.
	if err := c.conn.SetReadDeadline(time.Time{}); err != nil {
		return Event{}, fmt.Errorf("reading events: %w", err)
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		_ = c.conn.SetReadDeadline(time.Unix(1, 0))
	})
	_, body, err := c.frames.next()
	if !stop() {
		<-done
	}
	if err != nil {
		var ne net.Error
		if ctx.Err() != nil && errors.As(err, &ne) && ne.Timeout() {
			return Event{}, ctx.Err()
		}
		return Event{}, fmt.Errorf("reading events: %w", err)
	}
	e, err := ParseEvent(body, c.cfg.Now())
	if err != nil {
		return Event{}, fmt.Errorf("reading events: %w", err)
	}
	return e, nil
}

// Close closes both connections; a waiting Next returns an error.
func (c *Client) Close() error {
	return errors.Join(closed(c.conn.Close()), c.Writer.Close())
}
