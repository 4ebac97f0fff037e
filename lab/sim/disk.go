package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
)

// disk is the storage of a node, which survives restarts. It can fail for a while.
type disk struct {
	*memory.Store
	n      *node
	sick   bool
	newest time.Time // time of the last commit, by the age clock
	slow   bool
	last   bool // the slow disk is about to fail: the node dies on the next repeated request
}

// lag returns the time that a commit takes on top of its work.
func (d *disk) lag() int64 {
	if !d.slow {
		return 0
	}
	return d.n.w.rng.Int64N(int64(slowCommit))
}

// slowCommit is the longest commit of a slow disk: shorter than any wait for an answer.
const slowCommit = 3 * time.Second

// Close keeps the contents.
func (*disk) Close() error { return nil }

func (d *disk) well() error {
	if d.sick {
		d.n.w.reach(markSick)
		return fmt.Errorf("the disk rejects writes: %w", returners.ErrUnavailable)
	}
	return nil
}

// Commit is described at [returners.JobStore].
func (d *disk) Commit(ctx context.Context, b returners.Batch) (returners.Result, error) {
	if err := d.well(); err != nil {
		return returners.Result{}, err
	}
	d.newest = d.n.aged()
	res, err := d.Store.Commit(ctx, b)
	for i := range res.NewReturns {
		if !res.NewReturns[i] && hit(d.n.w.o.sabotage.skipDedupe) {
			res.NewReturns[i] = true
		}
	}
	return res, err
}

// OutboxMove is described at [returners.JobStore].
func (d *disk) OutboxMove(ctx context.Context, dest string, rows []returners.Move) error {
	err := d.well()
	if err == nil && len(rows) > 0 {
		d.n.do(clearOutbox, func() { err = d.Store.OutboxMove(ctx, dest, rows) })
	}
	return err
}

// OutboxReject is described at [returners.JobStore].
func (d *disk) OutboxReject(ctx context.Context, dest string, seq int64, reason string) error {
	if err := d.well(); err != nil {
		return err
	}
	return d.Store.OutboxReject(ctx, dest, seq, reason)
}

// OutboxBackfill is described at [returners.JobStore].
func (d *disk) OutboxBackfill(ctx context.Context, dest, jid string) (rows int, err error) {
	if err := d.well(); err != nil {
		return 0, err
	}
	return d.Store.OutboxBackfill(ctx, dest, jid)
}
