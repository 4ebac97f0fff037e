package client

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

// Tree returns the tree from the master down, as the master knows it.
func (c *Client) Tree(ctx context.Context) (topology.Node, error) {
	v, err := c.Query(ctx, RunnerCall{Fun: "topology.tree"})
	if err != nil {
		return topology.Node{}, err
	}
	m, err := v.Map()
	if err != nil {
		return topology.Node{}, fmt.Errorf("the master's answer is not a tree: %w", err)
	}
	return topology.FromMap(m)
}

// Trace locates a job in the tree, from the master down. Nodes that do not answer within wait are
// reported as unreachable; 0 leaves the wait to the master.
func (c *Client) Trace(ctx context.Context, jid string, wait time.Duration) (trace.Step, error) {
	v, err := c.Query(ctx, RunnerCall{Fun: "topology.trace", Args: []any{jid}, Timeout: wait})
	if err != nil {
		return trace.Step{}, err
	}
	m, err := v.Map()
	if err != nil {
		return trace.Step{}, fmt.Errorf("the master's answer is not a trace: %w", err)
	}
	return trace.FromMap(m)
}
