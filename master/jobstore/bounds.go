package jobstore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/returners"
)

// ErrOutboxFull says that the outbox of a destination has reached outbox_max_rows or
// outbox_max_bytes. Nothing was stored and nothing may be acknowledged: the sender tries again.
var ErrOutboxFull = errors.New("the outbox is full")

// room returns ErrOutboxFull while a destination is at a bound. It logs the start and the end of
// that state.
func (s *Store) room() error {
	for _, dest := range s.dests {
		rows, bytes := s.o.Local.OutboxSize(dest)
		if !s.atBound(rows, bytes) {
			if _, was := s.full.LoadAndDelete(dest); was {
				s.o.Log.Info("outbox has room, accepting returns and jobs", "dest", s.nameOf(dest), "rows", rows, "bytes", bytes)
			}
			continue
		}
		err := fmt.Errorf("%w: %d messages of %d bytes wait for %s (outbox_max_rows %d, outbox_max_bytes %d); "+
			"restore the connection or raise the bound", ErrOutboxFull, rows, bytes, s.nameOf(dest), s.o.MaxRows, s.o.MaxBytes)
		if _, was := s.full.LoadOrStore(dest, struct{}{}); !was {
			s.o.Log.Error("outbox full, refusing returns and jobs", "dest", s.nameOf(dest), "err", err)
		}
		return err
	}
	return nil
}

func (s *Store) atBound(rows, bytes int64) bool {
	return s.o.MaxRows > 0 && rows >= s.o.MaxRows || s.o.MaxBytes > 0 && bytes >= s.o.MaxBytes
}

// nameOf returns the name of a destination for operators.
func (s *Store) nameOf(dest string) string {
	name, ok := strings.CutPrefix(dest, returners.DestEventsPrefix)
	switch {
	case ok:
		return "the returner " + name
	case dest != returners.DestMySQL:
		return "the master above"
	case s.o.RemoteName == mysqlName:
		return "the database of mysql.host"
	}
	return "the returner " + s.o.RemoteName
}
