package channel

import (
	"context"

	"github.com/momtree/mom/internal/wire"
)

// Ping checks that something that speaks Salt's protocol answers. It sends an unencrypted
// command, which proves nothing about either side (Salt wire reference §8.1).
func (c *Channel) Ping(ctx context.Context) error {
	const op = "ping"
	load, err := wire.Encode(wire.NewMap("cmd", "ping"))
	if err != nil {
		return c.fail(op, err, "", "")
	}
	body, err := wire.Envelope{Enc: "clear", Load: load, Version: protocol, HasVersion: true}.Encode()
	if err != nil {
		return c.fail(op, err, "", "")
	}
	_, err = c.exchange(ctx, op, body, c.cfg.AuthTimeout, 1)
	return err
}
