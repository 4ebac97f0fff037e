package jobstore

import (
	"context"
	"fmt"

	"github.com/momtree/mom/returners"
)

// SaveEvents queues events durably for the database of event_return. Each needs a Key, which
// detects a second delivery. If the outbox is full it returns ErrOutboxFull and the events are lost.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	rows, bytes := s.o.Local.OutboxSize(returners.DestMySQL)
	if s.atBound(rows, bytes) {
		return fmt.Errorf("store %d events: %w: %d messages of %d bytes wait for %s (outbox_max_rows %d, outbox_max_bytes %d)",
			len(events), ErrOutboxFull, rows, bytes, nameOf(returners.DestMySQL), s.o.MaxRows, s.o.MaxBytes)
	}
	b := returners.Batch{Outbox: make([]returners.Item, 0, len(events))}
	for _, e := range events {
		payload, err := returners.EncodeEvent(e)
		if err != nil {
			return fmt.Errorf("store event %q: %w", e.Tag, err)
		}
		b.Outbox = append(b.Outbox, returners.Item{Dest: returners.DestMySQL, Kind: returners.KindEvent, Payload: payload})
	}
	if _, err := s.group.Commit(ctx, b); err != nil {
		return fmt.Errorf("store %d events: %w", len(events), err)
	}
	s.wake()
	return nil
}
