package mysql

import (
	"context"

	"github.com/momtree/mom/returners/internal/sqlrows"
)

// note updates mom_jobs for the jobs of rows that are about to be stored.
func (s *Store) note(ctx context.Context, rows []sqlrows.Row) error {
	return s.updates.Do(rows, func(jids []string) error { return s.save(ctx, jobsTable, sqlrows.Named(jids)) })
}

// Hold resets the age of jobs, by the database's clock.
func (s *Store) Hold(ctx context.Context, jids []string) error {
	return s.save(ctx, heldTable, sqlrows.Named(jids))
}
