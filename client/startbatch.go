package client

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// BatchStarted is a job that the master runs in batches on its own.
type BatchStarted struct {
	// Asked is the outcome of the initial test.ping, which finds the minions that are up.
	Asked Outcome
	// JID is the job id of all batches; "" if no minion answered and nothing was started.
	JID string
}

// errNoBatches refuses a batch at a master that is not mom's. Salt 3008 runs batches too, but its
// command hands them over in files of the master's cache directory.
var errNoBatches = fmt.Errorf("start a batch: %w, and only mom's masters run batches for this client; omit --async", ErrNotReported)

// StartBatch runs test.ping on the target of j and asks the master to run j on the minions that
// answer, in batches. It does not wait for the batches, and they do not need the client. It
// returns the errors of [Client.Run], an error for an invalid size, and [ErrNotReported] if the
// master does not run batches.
func (c *Client) StartBatch(ctx context.Context, j Job, o Batch) (BatchStarted, error) {
	if err := o.Validate(); err != nil {
		return BatchStarted{}, err
	}
	asked, err := RunBy(ctx, c, j.question("test.ping"))
	if err != nil {
		return BatchStarted{}, err
	}
	started := BatchStarted{Asked: asked}
	if !asked.ReportsEnd {
		return started, errNoBatches
	}
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
		return started, errNoBatches
	case d.String("jid") == "":
		return started, fmt.Errorf("start a batch: %w: %v", ErrNoMatch, j.Tgt)
	}
	started.JID = d.String("jid")
	return started, nil
}
