package sqlite

import (
	"context"
	"fmt"
)

// level says whether the write-ahead log is synced at the end of a transaction. An unsynced
// transaction is in the page cache and is synced with the next synced one: the log is one
// file, so its later parts never survive without the earlier ones.
type level int

const (
	synced level = iota // as in Options.Synchronous
	unsynced
)

// setLevel sets the level of the next transactions. The caller holds the write lock. A new
// connection syncs, whatever is recorded here.
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
