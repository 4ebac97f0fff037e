package client

import (
	"context"
	"fmt"
)

// Query asks a runner that only reads and is soon done, such as topology.tree or
// jobs.inflight: of that, unlike with [Client.CallRunner], the event bus and the job cache are
// not told. The master says which those are; it refuses others ([*Refused]). A master that
// does not know the question, such as one of Salt's, is asked by CallRunner.
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
