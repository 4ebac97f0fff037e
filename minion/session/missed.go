package session

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

const (
	// maxUnbound is how often in a row an announcement is repeated because the master does not
	// see the subscription.
	maxUnbound = 20
	// unboundPause is the pause between such announcements.
	unboundPause = 100 * time.Millisecond
	// fetchPause and fetchPauseMax bound the pause between requests for missed publications.
	fetchPause    = 200 * time.Millisecond
	fetchPauseMax = 30 * time.Second
)

// behind requests a fetch of missed publications.
func (s *Session) behind() {
	select {
	case s.fetch <- struct{}{}:
	default:
	}
}

// UnderWay returns the jobs of this minion that run or whose return is not acknowledged. It
// reads the outbox last: once the return of a job is stored, only the outbox counts.
func (s *Session) UnderWay() []string {
	return append(s.all.Jobs.UnderWay(), s.outbox.JIDs()...)
}

// catchUp fetches publications that the master has sent and that were not received. Duplicates
// are recognized by their jid.
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
			// One fetch covers several gaps in short succession.
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
