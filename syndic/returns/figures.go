package returns

import (
	"context"
	"sync/atomic"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

// Figures count what a sender does: requests and those of them that failed, rows that
// were acknowledged and rows that were set aside.
type Figures struct {
	Batches, Failed        atomic.Uint64
	Acknowledged, Rejected atomic.Uint64
}

// countedParent counts the requests with returns.
type countedParent struct {
	above
	f *Figures
}

func (c countedParent) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	v, err := c.above.Request(ctx, load)
	c.f.Batches.Add(1)
	if link.Verdict(v, err) != nil {
		c.f.Failed.Add(1)
	}
	return v, err
}

// countedOutbox counts the rows that are done.
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
