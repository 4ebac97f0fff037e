package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// JobUsers tells who asked for jobs, as the master has recorded it: the user of each job that
// it has, of at most 4096. A master of Salt's cannot be asked, which is [ErrNotTold]. The
// client has to have the key of the user that the master runs as.
func (c *Client) JobUsers(ctx context.Context, jids []string) (map[string]string, error) {
	reply, err := c.send(ctx, wire.NewMap("cmd", "job_users", "jids", jids))
	if err != nil {
		return nil, fmt.Errorf("who asked for %d jobs: %w", len(jids), err)
	}
	users := reply.Map("users")
	if users == nil {
		return nil, fmt.Errorf("who asked for %d jobs: %w", len(jids), ErrNotTold)
	}
	out := make(map[string]string, users.Len())
	for _, k := range users.Keys() {
		if id, ok := k.(string); ok {
			out[id] = users.String(id)
		}
	}
	return out, nil
}
