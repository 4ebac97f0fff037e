package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/returners/internal/sqlread"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// Clean removes jobs that began before the given time and have no newer return, and old
// events, at most limit rows. Each job is a transaction of its own: returns first, the jids
// row last, by key, so that locks are few and short. It finds a job by the time in its jid,
// which needs no scan. It keeps jobs held since then.
func (s *Store) Clean(ctx context.Context, before time.Time, limit int) (int, error) {
	return s.clean(ctx, before, limit, "SELECT EXISTS (SELECT 1 FROM salt_returns WHERE jid = $1 AND alter_time >= $2)"+
		" OR EXISTS (SELECT 1 FROM mom_jobs WHERE jid = $1 AND held >= $2)")
}

// CleanOlder is Clean for jobs older than keep by the database's clock. For jobs that a mom
// master stored, only that clock counts. Times in jids and returns come from the masters'
// clocks and may keep a job longer.
func (s *Store) CleanOlder(ctx context.Context, keep time.Duration, limit int) (int, error) {
	var now time.Time
	err := s.query(ctx, "read the database's clock", func(scan sqlread.Scan) error { return scan(&now) }, "SELECT CURRENT_TIMESTAMP")
	if err != nil {
		return 0, err
	}
	return s.clean(ctx, now.Add(-keep), limit, "SELECT EXISTS (SELECT 1 FROM salt_returns WHERE jid = $1 AND alter_time >= $2)"+
		" OR EXISTS (SELECT 1 FROM mom_jobs WHERE jid = $1 AND GREATEST(stored, COALESCE(held, stored)) >= $2)")
}

// clean removes old jobs; fresh is an SQL condition for jobs to keep.
func (s *Store) clean(ctx context.Context, before time.Time, limit int, fresh string) (int, error) {
	if limit <= 0 {
		return 0, fmt.Errorf("%s %s: clean: limit is %d, must be above 0", s.o.Returner, s.o.where(), limit)
	}
	if err := s.prepare(ctx); err != nil {
		return 0, err
	}
	if s.o.ArchiveJobs {
		if err := s.makeArchives(ctx); err != nil {
			return 0, err
		}
	}
	total, err := sqlrows.Clean(limit, func(after string) ([]string, error) { return s.oldJobs(ctx, after, before) }, func(jid string, limit int) (n int, err error) {
		err = s.inTx(ctx, "clean job "+jid, func(ctx context.Context, tx *sql.Tx) (err error) {
			n, err = s.cleanJob(ctx, tx, jid, fresh, before, limit)
			return err
		})
		if err != nil {
			return 0, err
		}
		return n, nil
	})
	if err != nil {
		return total, err
	}
	n, err := s.cleanEvents(ctx, before, limit-total)
	return total + n, err
}

// oldJobs pages through the jids of old jobs, with or without a load.
func (s *Store) oldJobs(ctx context.Context, after string, before time.Time) ([]string, error) {
	const size = 200
	var jids []string
	// From salt_returns the recursion reads one row of each job, not the rows of all minions.
	err := s.query(ctx, "look for old jobs", sqlread.Append(&jids, sqlread.Column[string]), strings.ReplaceAll(`
		(SELECT jid FROM jids WHERE jid > $1 AND jid < $2 ORDER BY jid LIMIT SIZE)
		UNION (SELECT DISTINCT jid FROM mom_nodes WHERE jid > $1 AND jid < $2 ORDER BY jid LIMIT SIZE)
		UNION (SELECT jid FROM mom_jobs WHERE jid > $1 AND jid < $2 ORDER BY jid LIMIT SIZE)
		UNION (WITH RECURSIVE t AS (
			(SELECT jid FROM salt_returns WHERE jid > $1 AND jid < $2 ORDER BY jid LIMIT 1)
			UNION ALL SELECT (SELECT r.jid FROM salt_returns r WHERE r.jid > t.jid AND r.jid < $2 ORDER BY r.jid LIMIT 1) FROM t WHERE t.jid IS NOT NULL
		) SELECT jid FROM t WHERE jid IS NOT NULL LIMIT SIZE) ORDER BY jid LIMIT SIZE`, "SIZE", strconv.Itoa(size)), after, jid.New(before))
	return jids, err
}

// children are the tables with rows of a job, with the column that orders their rows.
// Columns of an archive are named if there is one.
var children = []struct{ table, key, columns string }{
	{"salt_returns", "id", `fun, jid, "return", id, success, full_ret, alter_time`},
	{"mom_expected", "id", ""},
	{"mom_nodes", "node", ""},
	{"mom_duplicates", "id", ""},
}

func (s *Store) cleanJob(ctx context.Context, tx *sql.Tx, jid, freshSQL string, before time.Time, limit int) (int, error) {
	var fresh bool
	err := tx.QueryRowContext(ctx, freshSQL, jid, s.stamp(before)).Scan(&fresh)
	if err != nil || fresh {
		return 0, err
	}
	total := 0
	for _, c := range children {
		n, err := s.cleanChildren(ctx, tx, c.table, c.key, c.columns, jid, limit-total)
		if total += n; err != nil || total >= limit {
			return total, err
		}
	}
	if s.o.ArchiveJobs {
		if _, err := tx.ExecContext(ctx, "INSERT INTO jids_archive (jid, load) SELECT jid, load FROM jids WHERE jid = $1", jid); err != nil {
			return total, err
		}
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM mom_jobs WHERE jid = $1", jid); err != nil {
		return total, err
	}
	n, err := affected(tx.ExecContext(ctx, "DELETE FROM jids WHERE jid = $1", jid))
	return total + n, err
}

// cleanChildren removes the first limit rows of a job from one table.
func (s *Store) cleanChildren(ctx context.Context, tx *sql.Tx, table, key, columns, jid string, limit int) (int, error) {
	where := fmt.Sprintf(" WHERE jid = $1 AND %s IN (SELECT %s FROM %s WHERE jid = $1 ORDER BY %s LIMIT %d)", key, key, table, key, limit)
	if s.o.ArchiveJobs && columns != "" {
		if _, err := tx.ExecContext(ctx, "INSERT INTO "+table+"_archive ("+columns+") SELECT "+columns+" FROM "+table+where, jid); err != nil {
			return 0, err
		}
	}
	return affected(tx.ExecContext(ctx, "DELETE FROM "+table+where, jid))
}

func (s *Store) cleanEvents(ctx context.Context, before time.Time, limit int) (total int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	limit = min(limit, 1000)
	err = s.inTx(ctx, "clean events", func(ctx context.Context, tx *sql.Tx) error {
		var ids []int64
		err := sqlread.Each(ctx, tx, sqlread.Append(&ids, sqlread.Column[int64]),
			fmt.Sprintf("SELECT id FROM salt_events WHERE alter_time < $1 ORDER BY alter_time, id LIMIT %d", limit), s.stamp(before))
		if err != nil || len(ids) == 0 {
			return err
		}
		if s.o.ArchiveJobs {
			const columns = "id, tag, data, alter_time, master_id"
			if _, err := tx.ExecContext(ctx, "INSERT INTO salt_events_archive ("+columns+") SELECT "+columns+" FROM salt_events WHERE id = ANY($1)", ids); err != nil {
				return err
			}
		}
		total, err = affected(tx.ExecContext(ctx, "DELETE FROM salt_events WHERE id = ANY($1)", ids))
		return err
	})
	return total, err
}

func affected(res sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// makeArchives creates Salt's archive tables as copies of their sources.
func (s *Store) makeArchives(ctx context.Context) error {
	for _, t := range []string{"jids", "salt_returns", "salt_events"} {
		if err := s.exec(ctx, "make the archive of "+t, "CREATE TABLE IF NOT EXISTS "+t+"_archive (LIKE "+t+")"); err != nil {
			return err
		}
	}
	return nil
}

// inTx runs f in a transaction and repeats it when other writers held its rows.
func (s *Store) inTx(ctx context.Context, doing string, f func(context.Context, *sql.Tx) error) error {
	return s.writer.Retry(ctx, func() error {
		return s.within(ctx, doing, func(ctx context.Context, _ func()) error {
			return sqlrows.Tx(ctx, s.db, func(tx *sql.Tx) error { return f(ctx, tx) })
		})
	})
}
