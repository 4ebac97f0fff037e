package jobstore

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/returners"
)

// Stats is a reading of what the store does and owes.
type Stats struct {
	Group    returners.GroupStats
	Database *returners.DrainStats // nil: no database is open
	Owed     []Owed
}

// SetAside is the destination under which rows are counted that were refused for good.
const SetAside = "rejected"

// Owed is what waits for one destination.
type Owed struct {
	Dest        string // parent, mysql, or rejected: set aside by either
	Rows, Bytes int64
	Oldest      time.Time // zero: nothing waits, or for rejected not known
}

// Stats reads the counters; the age of the oldest rows is read from the file.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	out := Stats{Group: s.group.Stats()}
	s.mu.Lock()
	d := s.drain
	s.mu.Unlock()
	if d != nil {
		st := d.Stats()
		out.Database = &st
	}
	rejected := Owed{Dest: SetAside}
	for _, dest := range s.dests {
		o := Owed{Dest: "parent"}
		if dest == returners.DestMySQL {
			o.Dest = "mysql"
		}
		o.Rows, o.Bytes = s.o.Local.OutboxSize(dest)
		if o.Rows > 0 {
			var err error
			if _, o.Oldest, err = s.o.Local.OutboxDepth(ctx, dest); err != nil {
				return out, err
			}
		}
		out.Owed = append(out.Owed, o)
		rows, bytes := s.o.Local.OutboxSize(returners.Rejected(dest))
		rejected.Rows, rejected.Bytes = rejected.Rows+rows, rejected.Bytes+bytes
	}
	out.Owed = append(out.Owed, rejected)
	return out, nil
}

// noDest is a destination of which there are no rows.
const noDest = "readiness"

// Writable tells why returns cannot be stored now: an outbox is full, or the file
// does not take a transaction.
func (s *Store) Writable(ctx context.Context) error {
	for _, dest := range s.dests {
		if rows, bytes := s.o.Local.OutboxSize(dest); s.atBound(rows, bytes) {
			return fmt.Errorf("%w: %d rows wait for %s", ErrOutboxFull, rows, nameOf(dest))
		}
	}
	if err := s.o.Local.OutboxAck(ctx, noDest, []int64{0}); err != nil {
		return fmt.Errorf("the embedded store takes no writes: %w", err)
	}
	return nil
}
