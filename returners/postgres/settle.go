package postgres

import (
	"context"
	"slices"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// mostAbsent bounds the jobs that are remembered to have minions stored as missing.
const mostAbsent = 4096

// settle clears the reason in mom_expected of missing minions that have returned. rows are
// sorted by job.
func (s *Store) settle(ctx context.Context, rows []keyed) error {
	for len(rows) > 0 {
		jid := rows[0].jid
		n := 1
		for n < len(rows) && n < batchRows && rows[n].jid == jid {
			n++
		}
		these := rows[:n]
		if rows = rows[n:]; !s.absent.Contains(jid) {
			continue
		}
		ids := make([]string, n)
		for i := range these {
			ids[i] = these[i].id
		}
		if err := s.clearReasons(ctx, jid, ids); err != nil {
			return err
		}
	}
	return nil
}

// clearReasons clears the reasons of minions of one job. It retries while other writers
// hold the rows.
func (s *Store) clearReasons(ctx context.Context, jid string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	var err error
	for try := range tries {
		if err = s.exec(ctx, "clear the reasons of minions that returned to job "+jid,
			"UPDATE mom_expected SET missing = NULL WHERE jid = $1 AND id = ANY($2) AND missing IS NOT NULL", jid, ids); err == nil {
			return nil
		}
		if returners.Class(err) != ClassContention || pause(ctx, try) != nil {
			break
		}
		s.count(func(st *Stats) { st.Retries++ })
	}
	return err
}

// returnedAlready clears the reasons of minions that were stored as missing after their
// returns.
func (s *Store) returnedAlready(ctx context.Context, rows []keyed) error {
	for part := range slices.Chunk(rows, batchRows) {
		byJob := map[string][]string{}
		for _, r := range part {
			byJob[r.jid] = append(byJob[r.jid], r.id)
		}
		for jid, ids := range byJob {
			var found []string
			err := s.query(ctx, "read who has returned to job "+jid, sqlread.Append(&found, sqlread.Column[string]),
				"SELECT id FROM salt_returns WHERE jid = $1 AND id = ANY($2)", jid, ids)
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
