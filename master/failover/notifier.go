package failover

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// notifyPause is the least time between two notifications.
const notifyPause = 500 * time.Millisecond

// notifier notifies peers of changes: of the first at once, of later ones together, after the
// peers notified last had time to ask. The nil notifier does nothing.
type notifier struct {
	send      func() (within time.Duration)
	triggered chan struct{}
}

// newNotifier returns a notifier that calls send, which returns the time over which the
// requests of the peers are spread.
func newNotifier(send func() (within time.Duration)) *notifier {
	return &notifier{send: send, triggered: make(chan struct{}, 1)}
}

// Trigger records a change. It does not block.
func (h *notifier) Trigger() {
	if h == nil {
		return
	}
	select {
	case h.triggered <- struct{}{}:
	default:
	}
}

// Run notifies until ctx ends.
func (h *notifier) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.triggered:
		}
		if timing.Sleep(ctx, max(h.send(), notifyPause)) != nil {
			return
		}
	}
}
