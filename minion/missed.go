package minion

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

const (
	// maxUnbound is how often in a row an announcement is repeated because the
	// master does not see the subscription.
	maxUnbound = 20
	// unboundPause is the time between two of these.
	unboundPause = 100 * time.Millisecond
	// fetchPause and fetchPauseMax bound how soon missed publications are asked
	// for again.
	fetchPause    = 200 * time.Millisecond
	fetchPauseMax = 30 * time.Second
)

// behind asks for what was missed, soon.
func (l *link) behind() {
	select {
	case l.fetch <- struct{}{}:
	default:
	}
}

// underWay are the jobs that this minion has: those that run, and those whose return is
// not acknowledged. The outbox is asked last: a job whose return is stored counts for what
// is in there alone.
func (l *link) underWay() []string {
	return append(l.m.jobs.UnderWay(), l.outbox.JIDs()...)
}

// catchUp fetches publications that the master has sent and that were not heard.
// What was heard after all is known by its jid.
func (l *link) catchUp(ctx context.Context) {
	pause := fetchPause
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.fetch:
		}
		err := l.ch.CatchUp(ctx, &l.tail, l.underWay(), func(p wire.Publication) {
			l.log.Info("a missed publication was fetched", "jid", p.JID)
			if err := l.m.jobs.Take(l, p); err != nil {
				l.log.Warn("publication dropped", "jid", p.JID, "error", err)
			}
		})
		if err == nil {
			// Gaps that follow each other closely are one.
			if pause = fetchPause; sleep.For(ctx, pause) != nil {
				return
			}
			continue
		}
		if ctx.Err() != nil {
			return
		}
		l.log.Warn("missed publications not fetched", "again_in", pause, "error", err)
		if sleep.For(ctx, pause) != nil {
			return
		}
		pause = min(2*pause, fetchPauseMax)
		l.behind()
	}
}
