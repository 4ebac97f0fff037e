package client

import (
	"context"
	"fmt"
)

// Query calls a runner that only reads and is quick, such as topology.tree or jobs.inflight.
// Unlike [Client.CallRunner] it leaves no trace on the event bus or in the job cache. The
// master decides which runners these are; it refuses others ([*Refused]). On a master that
// does not support queries, such as a Python master, Query uses CallRunner.
func (c *Client) Query(ctx context.Context, call RunnerCall) (Raw, error) {
	load := call.load(false)
	load.Set("cmd", "query")
	reply, err := c.sendWithin(ctx, c.o.Timeout+call.Timeout, load)
	if err != nil {
		return nil, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	if !reply.Has("success") {
		return c.CallRunner(ctx, call)
	}
	v, _ := reply.Get("return")
	result, err := RawOf(v)
	if err != nil {
		return nil, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	if reply.Bool("success") {
		return result, nil
	}
	e := &RunnerError{Fun: call.Fun, Reason: reply.String("reason")}
	if v != nil {
		e.Value = result
	}
	return nil, e
}
