package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

// openBus opens the master's event bus. With a master of ours every event from now
// on is delivered, however busy it is: what is asked of it next may be done before
// it has noticed us, and nothing would ever end the wait.
func (c *Client) openBus(ctx context.Context) (*bus.Client, error) {
	b, err := bus.Dial(ctx, c.o.Bus)
	if err != nil {
		return nil, fmt.Errorf("open the master's event bus in %s: %w", c.o.Bus.SockDir, err)
	}
	if b.Listed() || !c.greets(ctx) {
		return b, nil
	}
	short, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	if err := b.AwaitListed(short); err != nil {
		return nil, errors.Join(fmt.Errorf("open the master's event bus in %s: it does not begin: %w", c.o.Bus.SockDir, err), b.Close())
	}
	return b, nil
}

// greets asks whether the master is one of ours, which tells each reader of its bus
// that it is served. A Python master echoes the question.
func (c *Client) greets(ctx context.Context) bool {
	reply, err := c.ask(ctx, wire.NewMap("cmd", "ping", "greets", false))
	return err == nil && reply.Bool("greets") // what is asked next tells of an error
}
