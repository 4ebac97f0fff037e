package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

// config converts b to the configuration of package bus.
func (b Bus) config() bus.ClientConfig {
	return bus.ClientConfig{
		SockDir: b.Dir, IPCMode: b.Mode, PubName: b.PubName, PullName: b.PullName, PubPort: b.PubPort, PullPort: b.PullPort,
		Framing: bus.Framing(b.Framing),
	}
}

// Pauses between attempts to open the event bus.
const (
	busPause    = 50 * time.Millisecond
	maxBusPause = time.Second
)

// openBus opens the master's event bus. A busy master may disconnect a reader before it has sent it
// anything, so openBus tries again for up to Options.Timeout. If nobody listens it fails at once.
func (c *Client) openBus(ctx context.Context) (*bus.Client, error) {
	within, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	for pause := busPause; ; pause = min(2*pause, maxBusPause) {
		b, err := c.dialBus(ctx)
		//mutant:client-cut-reader-tries-again
		if !errors.Is(err, io.EOF) && !errors.Is(err, posix.ConnReset) {
			return b, err
		}
		if timing.Sleep(within, pause) != nil {
			return nil, err
		}
	}
}

// dialBus makes one attempt. It waits until mom's master has registered the reader, so that no later
// event is missed: a job may end before the master has seen a new subscriber.
func (c *Client) dialBus(ctx context.Context) (*bus.Client, error) {
	b, err := bus.Dial(ctx, c.o.Bus.config())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.busName(), err)
	}
	if b.Listed() || !c.greets(ctx) {
		return b, nil
	}
	short, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	if err := b.AwaitListed(short); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: wait for the subscription: %w", c.busName(), err), b.Close())
	}
	return b, nil
}

// busName describes the bus in errors.
func (c *Client) busName() string {
	if c.o.Addr == "" {
		return "event bus in " + c.o.Bus.Dir
	}
	return "open the master's event bus in " + c.o.Bus.Dir
}

// greets reports whether the master is mom's, which confirms each reader of its bus. A Python
// master echoes the request.
func (c *Client) greets(ctx context.Context) bool {
	if c.o.Addr == "" { // a minion's bus
		return false
	}
	reply, err := c.ask(ctx, wire.NewMap("cmd", "ping", "greets", false))
	return err == nil && reply.Bool("greets") // the next request reports an error
}

// Fire sends an event to the bus of the master. Data is a map, of Go's own types or those of
// package value. A nil error means that the master has received the bytes, not that any
// subscriber has read them. [ErrUnreachable] means that no master is running.
func (c *Client) Fire(ctx context.Context, tag string, data any) error {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	err := c.fire.Fire(ctx, tag, data)
	switch {
	case errors.Is(err, bus.ErrAway):
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	case errors.Is(err, net.ErrClosed):
		return fmt.Errorf("fire %s: the client: %w", tag, ErrClosed)
	}
	return err
}
