package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// Ping asks the master's return port whether it serves requests. It needs no key.
func (c *Client) Ping(ctx context.Context) error {
	reply, err := c.ask(ctx, wire.NewMap("cmd", "ping"))
	if err != nil {
		return err
	}
	if reply.String("cmd") != "ping" {
		return fmt.Errorf("%w at %s: unexpected answer to ping", ErrUnreachable, c.o.Addr)
	}
	return nil
}
