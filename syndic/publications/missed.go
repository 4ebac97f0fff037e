package publications

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// fetchPause is the least time between two fetches.
const fetchPause = 200 * time.Millisecond

// catchUp fetches publications that this node missed while it was restarted or disconnected.
func (s *Stream) catchUp(ctx context.Context) {
	retry := s.o.Pace.Backoff()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.fetch:
		}
		err := s.o.Channel.CatchUp(ctx, &s.tail, nil, func(p wire.Publication) {
			if s.handed.Contains(returners.PartIn(p)) {
				return // it was in the inbox
			}
			s.o.Log.Info("missed publication fetched from parent", "jid", p.JID)
			select {
			case s.missed <- p:
			case <-ctx.Done():
			}
		})
		wait := fetchPause
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			retry.Reset()
		default:
			wait = retry.Wait()
			s.o.Log.Warn("missed publications not fetched from parent", "err", err, "retry_in", wait)
			s.Fetch()
		}
		if timing.Sleep(ctx, wait) != nil {
			return
		}
	}
}
