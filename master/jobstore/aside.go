package jobstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/returners"
)

// outbox returns the outbox of a destination. Events that a returner of event_return refuses are set
// aside there. They are dropped when they are as old as jobs may be (keep_jobs_seconds), and the
// oldest of them beyond the bounds aside_rows and aside_bytes.
func (s *Store) outbox(dest string) returners.Outbox {
	if returners.IsEvents(dest) {
		return aside{s.o.Local, int64(s.o.Bounds.AsideRows), int64(s.o.Bounds.AsideBytes)}
	}
	return s.o.Local
}

// aside is an outbox that bounds the events set aside.
type aside struct {
	returners.SharedOutbox
	maxRows, maxBytes int64
}

// OutboxReject sets an event aside, and drops the oldest ones beyond the bounds.
func (o aside) OutboxReject(ctx context.Context, dest string, seq int64, reason string) error {
	if err := o.SharedOutbox.OutboxReject(ctx, dest, seq, reason); err != nil {
		return err
	}
	rejected := returners.Rejected(dest)
	for {
		rows, bytes := o.OutboxSize(rejected)
		if rows <= 1 || rows <= o.maxRows && bytes <= o.maxBytes {
			return nil
		}
		if n, err := o.OutboxForget(ctx, rejected, 1); err != nil || n == 0 {
			return err
		}
	}
}

// forgetAside drops the events set aside before a time, while the wall clock can be trusted.
func (s *Store) forgetAside(ctx context.Context, before time.Time) error {
	for _, dest := range s.events {
		if !returners.IsEvents(dest) {
			continue // rows of jobs are among them
		}
		rejected := returners.Rejected(dest)
		for s.o.Age == nil || s.o.Age.Steady() {
			rows, oldest, err := s.o.Local.OutboxDepth(ctx, rejected)
			if err != nil {
				return err
			}
			if rows == 0 || !oldest.Before(before) {
				break
			}
			if _, err := s.o.Local.OutboxForget(ctx, rejected, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropUnknownEvents deletes the events for returners that event_return no longer names.
func (s *Store) dropUnknownEvents(ctx context.Context) {
	for dest, rows := range s.o.Local.OutboxDests() {
		pending := dest
		if rest, ok := strings.CutPrefix(dest, returners.Rejected("")); ok {
			pending = rest
		}
		if !returners.IsEvents(pending) || slices.Contains(s.events, pending) {
			continue
		}
		s.o.Log.Warn("dropped events for a returner no longer in event_return", "dest", dest, "count", rows)
		for {
			n, err := s.o.Local.OutboxForget(ctx, dest, s.o.Bounds.CleanStep)
			if err != nil && ctx.Err() == nil {
				s.o.Log.Error("events for a former returner not removed from the outbox", "dest", dest, "err", err)
			}
			if err != nil || n == 0 {
				break
			}
		}
	}
}
