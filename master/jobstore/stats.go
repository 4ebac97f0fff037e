package jobstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/returners"
)

// Stats are the counters of a store.
type Stats struct {
	Group    returners.GroupStats
	Database *returners.DrainStats // nil if no database is open
	// Writers are the returners of the job cache and of event_return.
	Writers []WriterStats
	Events  bool   // there are returners of event_return
	Lost    uint64 // events lost for them since the start of this process
	Backlog []Backlog
}

// SetAside is the destination name for rows that were rejected permanently.
const SetAside = "rejected"

// Backlog is what waits for one destination.
type Backlog struct {
	Dest        string // parent, mysql (the job cache), events:NAME, or rejected: by any of them
	Rows, Bytes int64
	Oldest      time.Time // zero if nothing waits; not set for rejected
}

// Stats reads the counters; the age of the oldest rows is read from the database file.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	out := Stats{Group: s.group.Stats(), Events: len(s.events) > 0, Lost: s.LostEvents().Total}
	dests := slices.Clone(s.dests)
	for _, w := range s.writers {
		st := w.stats()
		out.Writers = append(out.Writers, st)
		if st.Dest == returners.DestMySQL {
			out.Database = st.Drain
		}
		if !slices.Contains(dests, st.Dest) {
			dests = append(dests, st.Dest)
		}
	}
	rejected := Backlog{Dest: SetAside}
	for _, dest := range dests {
		o := Backlog{Dest: dest}
		if returners.IsParent(dest) {
			o.Dest = "parent"
		}
		o.Rows, o.Bytes = s.o.Local.OutboxSize(dest)
		if o.Rows > 0 {
			var err error
			if _, o.Oldest, err = s.o.Local.OutboxDepth(ctx, dest); err != nil {
				return out, err
			}
		}
		out.Backlog = append(out.Backlog, o)
		rows, bytes := s.o.Local.OutboxSize(returners.Rejected(dest))
		rejected.Rows, rejected.Bytes = rejected.Rows+rows, rejected.Bytes+bytes
	}
	out.Backlog = append(out.Backlog, rejected)
	return out, nil
}

// noDest is a destination without rows.
const noDest = "readiness"

// Writable returns why returns cannot be stored now: an outbox is full, or the embedded store
// rejects a transaction.
func (s *Store) Writable(ctx context.Context) error {
	for _, dest := range s.dests {
		if rows, bytes := s.o.Local.OutboxSize(dest); s.atBound(rows, bytes) {
			return fmt.Errorf("%w: %d rows wait for %s", ErrOutboxFull, rows, s.nameOf(dest))
		}
	}
	if err := s.o.Local.OutboxAck(ctx, noDest, []int64{0}); err != nil {
		return fmt.Errorf("write to the embedded store: %w", err)
	}
	return nil
}
