package returns

import (
	"context"
	"sync/atomic"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

// Figures counts requests, failed requests, acknowledged rows and rows set aside.
type Figures struct {
	Batches, Failed        atomic.Uint64
	Acknowledged, Rejected atomic.Uint64
}

type countedParent struct {
	parent
	f *Figures
}

func (c countedParent) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	v, err := c.parent.Request(ctx, load)
	c.f.Batches.Add(1)
	if link.Verdict(v, err) != nil {
		c.f.Failed.Add(1)
	}
	return v, err
}

type countedOutbox struct {
	returners.SharedOutbox
	f *Figures
}

func (c countedOutbox) OutboxMove(ctx context.Context, dest string, rows []returners.Move) error {
	err := c.SharedOutbox.OutboxMove(ctx, dest, rows)
	if err == nil {
		c.f.Acknowledged.Add(uint64(len(rows)))
	}
	return err
}

func (c countedOutbox) OutboxReject(ctx context.Context, dest string, seq int64, reason string) error {
	err := c.SharedOutbox.OutboxReject(ctx, dest, seq, reason)
	if err == nil {
		c.f.Rejected.Add(1)
	}
	return err
}
