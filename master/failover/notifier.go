package failover

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/sleep"
)

// newsPause is the least time between two news of the same kind.
const newsPause = 500 * time.Millisecond

// notifier has peers told that something has changed: of the first change at once, of
// those that follow it together, and not before the peers told last have had their
// time to ask. The nil notifier tells nothing.
type notifier struct {
	tell func() (within time.Duration)
	rung chan struct{}
}

// newNotifier makes one. tell tells the peers, and gives the time over which their
// questions are spread.
func newNotifier(tell func() (within time.Duration)) *notifier {
	return &notifier{tell: tell, rung: make(chan struct{}, 1)}
}

// Ring notes a change. It does not wait.
func (h *notifier) Ring() {
	if h == nil {
		return
	}
	select {
	case h.rung <- struct{}{}:
	default:
	}
}

// Run tells until ctx ends.
func (h *notifier) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.rung:
		}
		if sleep.For(ctx, max(h.tell(), newsPause)) != nil {
			return
		}
	}
}
