package returns

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// above is a parent as forwarding sees it.
type above struct{ o *Options }

func (a above) IsUp() bool              { return a.o.Parent.IsUp() }
func (a above) IsResting() bool         { return a.o.Parent.IsResting() }
func (a above) SetResting(resting bool) { a.o.Parent.SetResting(resting) }
func (a above) Shifts() uint64          { return a.o.Shifts() }

// Abreast: a master of ours takes several requests at a time, whatever jobs they are
// about. Any other one is asked for two, and hears the returns of a job in their order.
func (a above) Abreast() (requests int, apart bool) {
	most := a.o.Bounds.ForwardRequests
	if a.o.Parent.Ours() {
		return most, false
	}
	return min(most, otherAbreast), true
}

// otherAbreast is how many requests with returns may be under way to a master that is
// not one of ours.
const otherAbreast = 2

func (a above) Owns(it returners.Item) bool {
	return it.Dest != returners.DestAbove || a.o.Owns(it)
}

func (a above) Others(it returners.Item) []string {
	if it.Dest != returners.DestAbove {
		return nil
	}
	return a.o.Others(it)
}

// Owes wakes the sender of another parent.
func (a above) Owes(dest string) { a.o.Owes(dest) }

func (a above) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	return a.o.Parent.Request(ctx, load)
}

// body is what of a return goes to this master above. One that is not of ours, or
// has not said so yet, knows no digests.
func (a above) body() Body {
	if !a.o.Parent.Ours() {
		return Full
	}
	return BodyOf(a.o.Config.SyndicForwardReturns)
}
