package mysql

import (
	"context"
	"strings"

	"github.com/momtree/mom/returners/internal/sqlread"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// mostAbsent bounds the jobs that are remembered to have minions stored as missing.
const mostAbsent = 4096

// settle clears the reason in mom_expected of missing minions that have returned. rows are
// sorted by job.
func (s *Store) settle(ctx context.Context, rows []sqlrows.Row) error {
	for jid, ids := range sqlrows.ByJob(rows) {
		if !s.absent.Contains(jid) {
			continue
		}
		if err := s.clearReasons(ctx, jid, ids); err != nil {
			return err
		}
	}
	return nil
}

// clearReasons clears the reasons of minions of one job.
func (s *Store) clearReasons(ctx context.Context, jid string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	text := "UPDATE `mom_expected` SET `missing` = NULL WHERE `jid` = ? AND `id` IN (" + marks(len(ids)) + ") AND `missing` IS NOT NULL"
	return s.writer.Retry(ctx, func() error {
		_, err := s.db.ExecContext(ctx, text, values(jid, ids)...)
		return s.fault("clear the reasons of minions that returned to job "+jid, err)
	})
}

// returnedAlready clears the reasons of minions that were stored as missing after their
// returns.
func (s *Store) returnedAlready(ctx context.Context, rows []sqlrows.Row) error {
	sqlrows.Sort(rows)
	for jid, ids := range sqlrows.ByJob(rows) {
		var found []string
		err := s.query(ctx, "read who has returned to job "+jid, sqlread.Append(&found, sqlread.Column[string]),
			"SELECT id FROM salt_returns WHERE jid = ? AND id IN ("+marks(len(ids))+")", values(jid, ids)...)
		if err == nil {
			err = s.clearReasons(ctx, jid, found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// marks returns n placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// values returns the arguments for a job and minions.
func values(jid string, ids []string) []any {
	all := []any{jid}
	for _, id := range ids {
		all = append(all, id)
	}
	return all
}
