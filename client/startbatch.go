package client

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// BatchStarted is a job that a master runs in batches by itself.
type BatchStarted struct {
	// Asked is how the question ended to which minions answer that are there.
	Asked Outcome
	// JID is the job id of all slices; "": no minion has answered, and nothing was started.
	JID string
}

// StartBatch asks which of the minions that a job means are there, and has the master run the job on
// them in batches. It waits for none of them, and the master goes on without the client. Errors
// are those of [Client.Run], that of a size that cannot be meant, and [ErrNotTold] from a master
// that drives no batches.
func (c *Client) StartBatch(ctx context.Context, j Job, o Batch) (BatchStarted, error) {
	if err := o.Validate(); err != nil {
		return BatchStarted{}, err
	}
	asked, err := RunBy(ctx, c, j.question("test.ping"))
	if err != nil {
		return BatchStarted{}, err
	}
	started := BatchStarted{Asked: asked}
	ids := slices.Sorted(maps.Keys(asked.Returns))
	if len(ids) == 0 {
		return started, nil
	}
	load, err := j.load()
	if err != nil {
		return started, fmt.Errorf("start a batch: %w", err)
	}
	load.Set("cmd", "publish_batch")
	load.Set("batch", wire.NewMap("minions", ids, "size", o.Size, "wait", o.Wait.Seconds(), "failhard", o.FailHard))
	reply, err := c.send(ctx, load)
	if err != nil {
		return started, fmt.Errorf("start a batch: %w", err)
	}
	d := reply.Map("load")
	switch {
	case d == nil:
		return started, fmt.Errorf("%w: start a batch: the master drives none; leave --async out, or update it", ErrNotTold)
	case d.String("jid") == "":
		return started, fmt.Errorf("start a batch: %w: %v", ErrNoMatch, j.Tgt)
	}
	started.JID = d.String("jid")
	return started, nil
}
