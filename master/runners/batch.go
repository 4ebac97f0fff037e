package runners

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// Batcher is the side of an [Env] that the runners of batches ask.
type Batcher interface {
	// BatchStatus tells how far a batch is; nil: it is not known.
	BatchStatus(jid string) (*wire.Map, error)
	// ActiveBatches lists the batches that go on.
	ActiveBatches() ([]*wire.Map, error)
	// StopBatch halts a batch, and with kill ends the job of the minions at work; false: it is
	// not known, or over.
	StopBatch(ctx context.Context, jid string, kill bool) (bool, error)
}

func init() {
	Register(
		Function{Name: "batch.status", Args: []string{"jid"}, Reads: true, Run: batchStatus, Doc: `
How far a batch is that the master drives (salt -b N --async), or a command of Salt 3008: how
many of its minions have returned (completed), will not return (failed), are at work (active)
and have not begun (pending), and whether it was halted and why. None for a job that is no
such batch.

jid
    The id of the job.

    salt-run batch.status 20240610120000000000
`},
		Function{Name: "batch.list_active", Reads: true, Run: batchListActive, Doc: `
The batches that go on, each as batch.status tells it.

    salt-run batch.list_active
`},
		Function{Name: "batch.stop", Args: []string{"jid", "kill="}, Run: batchStop, Doc: `
Stop a batch: no further minion begins. Those at work go on, and their returns are kept. False
if there is no such batch or it is over.

jid
    The id of the job.

kill : False
    End the job of the minions at work, too (saltutil.kill_job).

    salt-run batch.stop 20240610120000000000
    salt-run batch.stop 20240610120000000000 kill=True
`},
	)
}

// batchOf gives who knows of batches, and the job id of a call.
func batchOf(c *Call) (Batcher, string, error) {
	b, ok := c.Env.(Batcher)
	if !ok {
		return nil, "", errors.New("this master drives no batches")
	}
	v, _ := c.Arg("jid")
	return b, fmt.Sprint(v), nil
}

func batchStatus(_ context.Context, c *Call) (any, error) {
	b, id, err := batchOf(c)
	if err != nil || !jid.Valid(id) {
		return nil, err
	}
	m, err := b.BatchStatus(id)
	if m == nil || err != nil {
		return nil, err
	}
	return m, nil
}

func batchListActive(_ context.Context, c *Call) (any, error) {
	b, _, err := batchOf(c)
	if err != nil {
		return nil, err
	}
	all, err := b.ActiveBatches()
	out := make([]any, len(all))
	for i, m := range all {
		out[i] = m
	}
	return out, err
}

func batchStop(ctx context.Context, c *Call) (any, error) {
	b, id, err := batchOf(c)
	if err != nil {
		return nil, err
	}
	kill, err := c.Flag("kill", false)
	if err != nil || !jid.Valid(id) {
		return false, err
	}
	return b.StopBatch(ctx, id, kill)
}
