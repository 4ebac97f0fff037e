package client

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

// config is where the sockets are, in the words of package bus.
func (b Bus) config() bus.ClientConfig {
	return bus.ClientConfig{
		SockDir: b.Dir, IPCMode: b.Mode, PubName: b.PubName, PullName: b.PullName, PubPort: b.PubPort, PullPort: b.PullPort,
		Framing: bus.Framing(b.Framing),
	}
}

// openBus opens the master's event bus. With a master of ours every event from now
// on is delivered, however busy it is: what is asked of it next may be done before
// it has noticed us, and nothing would ever end the wait.
func (c *Client) openBus(ctx context.Context) (*bus.Client, error) {
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
		return nil, errors.Join(fmt.Errorf("%s: it does not begin: %w", c.busName(), err), b.Close())
	}
	return b, nil
}

// busName is the bus in errors.
func (c *Client) busName() string {
	if c.o.Addr == "" {
		return "event bus in " + c.o.Bus.Dir
	}
	return "open the master's event bus in " + c.o.Bus.Dir
}

// greets asks whether the master is one of ours, which tells each reader of its bus
// that it is served. A Python master echoes the question.
func (c *Client) greets(ctx context.Context) bool {
	if c.o.Addr == "" { // a minion's bus: nobody is there to ask
		return false
	}
	reply, err := c.ask(ctx, wire.NewMap("cmd", "ping", "greets", false))
	return err == nil && reply.Bool("greets") // what is asked next tells of an error
}

// Fire puts an event on the bus of the master. The data are a map, in Go's own types or
// those of package value. No error means that the master has the bytes, not that anybody
// has read them; [ErrUnreachable] that no master is there.
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
