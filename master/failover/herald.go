package failover

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/sleep"
)

// heraldPause is the least time between two news of the same kind.
const heraldPause = 500 * time.Millisecond

// Herald has peers told that something has changed: of the first change at once, of
// those that follow it together, and not before the peers told last have had their
// time to ask. The nil Herald tells nothing.
type Herald struct {
	tell func() (within time.Duration)
	rung chan struct{}
}

// NewHerald makes a herald. tell tells the peers, and gives the time over which their
// questions are spread.
func NewHerald(tell func() (within time.Duration)) *Herald {
	return &Herald{tell: tell, rung: make(chan struct{}, 1)}
}

// Ring notes a change. It does not wait.
func (h *Herald) Ring() {
	if h == nil {
		return
	}
	select {
	case h.rung <- struct{}{}:
	default:
	}
}

// Run tells until ctx ends.
func (h *Herald) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.rung:
		}
		if sleep.For(ctx, max(h.tell(), heraldPause)) != nil {
			return
		}
	}
}
