package mysql

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/returners/internal/sqlread"
)

// mostAbsent bounds the jobs that are remembered to have minions stored as missing.
const mostAbsent = 4096

// absentFrom records that a job has minions stored as missing.
func (s *Store) absentFrom(jid string) { s.absent.Add(jid, struct{}{}) }

// hasAbsent reports whether a job may have minions stored as missing.
func (s *Store) hasAbsent(jid string) bool { return s.absent.Contains(jid) }

// settle clears the reason in mom_expected of missing minions that have returned. rows are
// sorted by job.
func (s *Store) settle(ctx context.Context, rows []keyed) error {
	for len(rows) > 0 {
		jid := rows[0].jid
		n := 1
		for n < len(rows) && n < batchRows && rows[n].jid == jid {
			n++
		}
		ids := make([]any, n)
		for i := range n {
			ids[i] = rows[i].id
		}
		if rows = rows[n:]; !s.hasAbsent(jid) {
			continue
		}
		if err := s.clearReasons(ctx, jid, ids); err != nil {
			return err
		}
	}
	return nil
}

// clearReasons clears the reasons of minions of one job. It retries while other writers
// hold the rows.
func (s *Store) clearReasons(ctx context.Context, jid string, ids []any) error {
	if len(ids) == 0 {
		return nil
	}
	text := "UPDATE `mom_expected` SET `missing` = NULL WHERE `jid` = ? AND `id` IN (" + marks(len(ids)) + ") AND `missing` IS NOT NULL"
	var err error
	for try := range tries {
		if _, err = s.db.ExecContext(ctx, text, slices.Concat([]any{jid}, ids)...); err == nil {
			return nil
		}
		if classOf(err) != ClassContention || pause(ctx, try) != nil {
			break
		}
		s.count(func(st *Stats) { st.Retries++ })
	}
	return s.fault("clear the reasons of minions that returned to job "+jid, err)
}

// returnedAlready clears the reasons of minions that were stored as missing after their
// returns.
func (s *Store) returnedAlready(ctx context.Context, rows []keyed) error {
	for part := range slices.Chunk(rows, batchRows) {
		byJob := map[string][]any{}
		for _, r := range part {
			byJob[r.jid] = append(byJob[r.jid], r.id)
		}
		for jid, ids := range byJob {
			var found []any
			err := s.query(ctx, "read who has returned to job "+jid, func(scan sqlread.Scan) error {
				var id string
				err := scan(&id)
				found = append(found, id)
				return err
			}, "SELECT id FROM salt_returns WHERE jid = ? AND id IN ("+marks(len(ids))+")", slices.Concat([]any{jid}, ids)...)
			if err == nil {
				err = s.clearReasons(ctx, jid, found)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// marks returns n placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
