package returns

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// parent adapts a parent's Options to [Parent] and [Sharer].
type parent struct{ o *Options }

func (a parent) IsUp() bool              { return a.o.Parent.IsUp() }
func (a parent) IsResting() bool         { return a.o.Parent.IsResting() }
func (a parent) SetResting(resting bool) { a.o.Parent.SetResting(resting) }
func (a parent) Shifts() uint64          { return a.o.Shifts() }

// Concurrency returns the bound forward_requests for a mom master. Any other gets two requests at a
// time, never two about the same job, so it receives the returns of a job in order.
func (a parent) Concurrency() (requests int, apart bool) {
	most := a.o.Bounds.ForwardRequests
	if a.o.Parent.Ours() {
		return most, false
	}
	return min(most, otherRequests), true
}

// otherRequests bounds the requests with returns in flight to a master that is not mom.
const otherRequests = 2

func (a parent) Owns(it returners.Item) bool {
	return it.Dest != returners.DestAbove || a.o.Owns(it)
}

func (a parent) Others(it returners.Item) []string {
	if it.Dest != returners.DestAbove {
		return nil
	}
	return a.o.Others(it)
}

// Wake wakes the sender of another parent.
func (a parent) Wake(dest string) { a.o.WakeDest(dest) }

func (a parent) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	return a.o.Parent.Request(ctx, load)
}

// body returns how much of a return this parent gets. A parent that is not mom, or has not
// identified itself yet, gets all of it.
func (a parent) body() Body {
	if !a.o.Parent.Ours() {
		return Full
	}
	return BodyOf(a.o.Config.SyndicForwardReturns)
}
