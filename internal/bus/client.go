package bus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"time"
)

// ClientConfig says where a master's event sockets are. Zero fields mean the
// defaults in brackets.
type ClientConfig struct {
	SockDir  string
	PubName  string // [MasterPubName]
	PullName string // [MasterPullName]
	IPCMode  string // "ipc" [default] or "tcp" on 127.0.0.1
	PubPort  int    // tcp only [4512]
	PullPort int    // tcp only [4513]

	// Framing of the events it fires [Length]; a master of ours takes both, a
	// Python one only its own, which Auto finds out. The reading side is told by what arrives.
	Framing  Framing
	MaxFrame int              // [DefaultMaxFrame]
	Now      func() time.Time // [time.Now] stamps fired events
}

// withDefaults fills in what is not said.
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

// Client reads the events of a master from its local sockets, and fires some.
// Next must not be called by two goroutines at once; all else may be.
type Client struct {
	*Writer
	conn   net.Conn
	frames *frameReader
	first  *Event // read by Dial, not yet given out
	listed bool   // something has come: we are on the master's list
}

// helloWait is how long Dial waits for the master's first frame. Ours sends one
// at once; a Python master may not, and then the wait covers its accept.
const helloWait = 50 * time.Millisecond

// Dial connects to the socket that events are read from. A master has to notice
// the connection before it delivers events, for which Dial gives it a moment. One
// of ours says when it has, see [Client.Listed]: if that says yes, every event
// fired after Dial returned is delivered.
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

// Listed tells whether the master is known to deliver events to us. False after
// Dial: it is a Python master on whose bus nothing has happened, or one of ours
// that is busy.
func (c *Client) Listed() bool { return c.listed }

// AwaitListed waits for the first frame, which proves that the master has us on
// its list; one of ours sends it as soon as it has. It takes the place of Next
// until it has returned.
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

// Next returns the next event. When ctx ends first its error is returned and
// nothing is lost: Next may be called again. io.EOF, possibly wrapped, means
// that the master has closed the socket, because it stopped or because this
// reader was too slow.
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
	// A deadline in the past wakes the read; it is taken back before the next.
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

// Close ends both connections; a Next that waits returns an error.
func (c *Client) Close() error {
	return errors.Join(closed(c.conn.Close()), c.Writer.Close())
}
