package peer

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLost reports that the connection broke after the request was sent. A REQ of libzmq neither
// resends it nor reports it: its caller waits for its timeout.
var ErrLost = errors.New("the connection broke before the reply")

// Do sends one request on its own connection, like a stock minion, and returns the reply's
// body. Until the request is sent, Do retries with libzmq's pauses; then it waits for the
// reply. It returns when ctx ends.
func (d Dialer) Do(ctx context.Context, body []byte) ([]byte, error) {
	var last error
	for pause := DefaultReconnect; ; {
		c, again, err := d.open(ctx, "REQ", 0)
		if err == nil {
			return d.exchange(ctx, c, body)
		}
		if ctx.Err() == nil {
			last = err
		}
		if again {
			pause = DefaultReconnect
		}
		if wait(ctx, pause) != nil {
			return nil, unanswered(ctx, last)
		}
		if !again {
			pause = min(2*pause, DefaultReconnectMax)
		}
	}
}

// exchange sends the request on a connection and closes it.
func (d Dialer) exchange(ctx context.Context, c *conn, body []byte) ([]byte, error) {
	stop := c.endWith(ctx)
	reply, err := c.ask(body)
	stop()
	c.Close()
	if err == nil {
		return reply, nil
	}
	if ctx.Err() == nil {
		d.count(cut)
		<-ctx.Done()
	}
	return nil, unanswered(ctx, fmt.Errorf("%w: %w", ErrLost, err))
}

// ask sends a request and reads the message that answers it.
func (c *conn) ask(body []byte) ([]byte, error) {
	if _, err := c.Write(appendFrame(append(c.begin(), flagMore, 0), 0, body)); err != nil {
		return nil, err
	}
	for frames := 0; ; {
		f, done, err := c.next()
		if err != nil {
			return nil, err
		}
		if f.command() {
			err := c.pong(f)
			if c.take(done); err != nil {
				return nil, err
			}
			continue
		}
		frames++
		if empty := frames == 1; empty != (len(f.body) == 0) && empty || empty != f.more() {
			c.take(done)
			return nil, fmt.Errorf("%w: frame %d of a reply is out of place", ErrFrame, frames)
		}
		if frames == 2 {
			reply := append([]byte(nil), f.body...)
			c.take(done)
			return reply, nil
		}
		c.take(done)
	}
}

func unanswered(ctx context.Context, last error) error {
	if last == nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ctx.Err(), last)
}

// wait is time.Sleep that returns early when ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
