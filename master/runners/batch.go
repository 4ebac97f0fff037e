package runners

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// Batcher is the part of [Env] that the batch runners use.
type Batcher interface {
	// BatchStatus returns the progress of a batch, or nil if the batch is unknown.
	BatchStatus(jid string) (*wire.Map, error)
	// ActiveBatches lists the batches in progress.
	ActiveBatches() ([]*wire.Map, error)
	// StopBatch halts a batch. With kill it also ends the job on the minions that are running it.
	// It returns false if the batch is unknown or already over.
	StopBatch(ctx context.Context, jid string, kill bool) (bool, error)
}

func init() {
	Register(
		Function{Name: "batch.status", Args: []string{"jid"}, Reads: true, Run: batchStatus, Doc: `
The progress of a batch that the master drives (salt -b N --async), or a command of Salt 3008:
the number of minions that have returned (completed), will not return (failed), are running
(active) and have not started (pending), and whether and why it was halted. None for a job
that is not such a batch.

jid
    The id of the job.

    salt-run batch.status 20240610120000000000
`},
		Function{Name: "batch.list_active", Reads: true, Run: batchListActive, Doc: `
The batches in progress, each in the form of batch.status.

    salt-run batch.list_active
`},
		Function{Name: "batch.stop", Args: []string{"jid", "kill="}, Run: batchStop, Doc: `
Stop a batch: no further minion starts. Running minions continue, and their returns are
stored. False if the batch does not exist or has ended.

jid
    The id of the job.

kill : False
    Also end the job on running minions (saltutil.kill_job).

    salt-run batch.stop 20240610120000000000
    salt-run batch.stop 20240610120000000000 kill=True
`},
	)
}

// batchOf returns the Batcher of a call and the job id that the call names.
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
