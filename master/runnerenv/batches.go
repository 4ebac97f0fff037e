package runnerenv

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/runners"
)

var _ runners.Batcher = Env{}

// BatchStatus returns the progress of a batch, or nil if unknown.
func (e Env) BatchStatus(jid string) (*wire.Map, error) { return e.p.Batches.Status(jid) }

// ActiveBatches lists the batches in progress.
func (e Env) ActiveBatches() ([]*wire.Map, error) { return e.p.Batches.ListActive() }

// StopBatch halts a batch.
func (e Env) StopBatch(ctx context.Context, jid string, kill bool) (bool, error) {
	return e.p.Batches.Stop(ctx, jid, kill)
}
