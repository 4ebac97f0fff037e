package syndic

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

const (
	// maxUnbound is how often a greeting is repeated because the parent does not
	// see the subscription, unboundPause the time between two of these.
	maxUnbound   = 20
	unboundPause = 100 * time.Millisecond
	// fetchPause is the least time between two fetches.
	fetchPause = 200 * time.Millisecond
)

// catchUp fetches publications that the parent has sent and that were not heard
// here: while this node was restarted, or cut off.
func (l *link) catchUp(ctx context.Context) {
	retry := l.s.pace.backoff()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.fetch:
		}
		err := l.ch.CatchUp(ctx, &l.tail, nil, func(p wire.Publication) {
			if l.handed.Contains(p.JID) {
				return // it was on its way
			}
			l.log.Info("A missed publication of the master above was fetched", "jid", p.JID)
			select {
			case l.missed <- p:
			case <-ctx.Done():
			}
		})
		wait := fetchPause
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			retry.reset()
		default:
			wait = retry.wait()
			l.log.Warn("Missed publications of the master above could not be fetched", "err", err, "retry_in", wait)
			ring(l.fetch)
		}
		if sleep.For(ctx, wait) != nil {
			return
		}
	}
}
