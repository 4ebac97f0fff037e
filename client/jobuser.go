package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// JobUser tells who asked for a job, as the master has recorded it; known is false for a
// job that it does not have. A master of Salt's cannot be asked, which is [ErrNotTold]. The
// client has to have the key of the user that the master runs as.
func (c *Client) JobUser(ctx context.Context, jid string) (user string, known bool, err error) {
	reply, err := c.send(ctx, wire.NewMap("cmd", "job_user", "jid", jid))
	if err != nil {
		return "", false, fmt.Errorf("who asked for job %s: %w", jid, err)
	}
	if !reply.Has("known") {
		return "", false, fmt.Errorf("who asked for job %s: %w", jid, ErrNotTold)
	}
	return reply.String("user"), reply.Bool("known"), nil
}
