package client

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// JobUsers returns the user who published each of the given jobs, of at most 4096 jobs, as
// recorded by the master. A Python master returns [ErrNotReported]. The client needs the key of
// the user that the master runs as.
func (c *Client) JobUsers(ctx context.Context, jids []string) (map[string]string, error) {
	reply, err := c.send(ctx, wire.NewMap("cmd", "job_users", "jids", jids))
	if err != nil {
		return nil, fmt.Errorf("look up the users of %d jobs: %w", len(jids), err)
	}
	users := reply.Map("users")
	if users == nil {
		return nil, fmt.Errorf("look up the users of %d jobs: %w", len(jids), ErrNotReported)
	}
	out := make(map[string]string, users.Len())
	for _, k := range users.Keys() {
		if id, ok := k.(string); ok {
			out[id] = users.String(id)
		}
	}
	return out, nil
}
