package jobstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/returners"
)

// SaveEvents queues events durably for the returners of event_return. Each needs a Key, which
// detects a second delivery. For a returner whose part of the outbox is full the events are lost:
// SaveEvents returns ErrOutboxFull and queues them for the others.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	var faults []error
	var dests []string
	for _, dest := range s.events {
		rows, bytes := s.o.Local.OutboxSize(dest)
		if !s.atBound(rows, bytes) {
			dests = append(dests, dest)
			continue
		}
		faults = append(faults, fmt.Errorf("store %d events: %w: %d messages of %d bytes wait for %s (outbox_max_rows %d, outbox_max_bytes %d)",
			len(events), ErrOutboxFull, rows, bytes, s.nameOf(dest), s.o.MaxRows, s.o.MaxBytes))
	}
	b := returners.Batch{Outbox: make([]returners.Item, 0, len(dests)*len(events))}
	for _, e := range events {
		payload, err := returners.EncodeEvent(e)
		if err != nil {
			return fmt.Errorf("store event %q: %w", e.Tag, err)
		}
		for _, dest := range dests {
			b.Outbox = append(b.Outbox, returners.Item{Dest: dest, Kind: returners.KindEvent, Payload: payload})
		}
	}
	if _, err := s.group.Commit(ctx, b); err != nil {
		faults = append(faults, fmt.Errorf("store %d events: %w", len(events), err))
		return errors.Join(faults...)
	}
	s.wake()
	return errors.Join(faults...)
}

// lostFor is how long the tree shows that events were lost.
const lostFor = time.Hour

// LostEvents are events that event_return wanted and that were not stored.
type LostEvents struct {
	N     int // in a series of losses without an hour between them
	Why   string
	Since time.Time // of the last loss
	Total uint64    // since the start of this process
}

// LoseEvents counts n lost events. It is for [EventReturnOptions].
func (s *Store) LoseEvents(n int, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	if now.Sub(s.lost.Since) > lostFor {
		s.lost.N = 0
	}
	s.lost = LostEvents{N: s.lost.N + n, Why: why.Error(), Since: now, Total: s.lost.Total + uint64(n)}
}

// LostEvents returns the events lost lately, none if the last loss is an hour ago.
func (s *Store) LostEvents() LostEvents {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Now().Sub(s.lost.Since) > lostFor {
		return LostEvents{Total: s.lost.Total}
	}
	return s.lost
}
