package session

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/timing"
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
func (s *Session) behind() {
	select {
	case s.fetch <- struct{}{}:
	default:
	}
}

// UnderWay are the jobs that this minion has: those that run, and those whose return is
// not acknowledged. The outbox is asked last: a job whose return is stored counts for what
// is in there alone.
func (s *Session) UnderWay() []string {
	return append(s.all.Jobs.UnderWay(), s.outbox.JIDs()...)
}

// catchUp fetches publications that the master has sent and that were not heard.
// What was heard after all is known by its jid.
func (s *Session) catchUp(ctx context.Context) {
	pause := fetchPause
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.fetch:
		}
		err := s.ch.CatchUp(ctx, &s.tail, s.UnderWay(), func(p wire.Publication) {
			s.log.Info("missed publication fetched", "jid", p.JID)
			if err := s.all.Jobs.Take(s, p); err != nil {
				s.log.Warn("publication dropped", "jid", p.JID, "err", err)
			}
		})
		if err == nil {
			// Gaps that follow each other closely are one.
			if pause = fetchPause; timing.Sleep(ctx, pause) != nil {
				return
			}
			continue
		}
		if ctx.Err() != nil {
			return
		}
		s.log.Warn("missed publications not fetched", "retry_in", pause, "err", err)
		if timing.Sleep(ctx, pause) != nil {
			return
		}
		pause = min(2*pause, fetchPauseMax)
		s.behind()
	}
}
