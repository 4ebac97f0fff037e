package sqlite

import (
	"context"
	"fmt"
)

// level says whether the write-ahead log is synced when a transaction ends. One that is
// not is in the hands of the system then, and synced with the next one that is: the log
// is one file, and what comes later in it is never there without what came before.
type level int

const (
	synced level = iota // as Options.Synchronous says
	unsynced
)

// setLevel chooses for the transactions to come. The caller has the turn. A connection
// that was made anew syncs, whatever is noted here.
func (s *Store) setLevel(ctx context.Context, at level) error {
	if at == s.level || s.o.Synchronous == "normal" {
		return nil
	}
	mode := map[level]string{synced: "full", unsynced: "normal"}[at]
	if _, err := s.w.ExecContext(ctx, "PRAGMA synchronous = "+mode); err != nil {
		return fmt.Errorf("choose whether a transaction is synced: %w", err)
	}
	//mutant:failed-sync-is-repeated
	s.level = at
	return nil
}
