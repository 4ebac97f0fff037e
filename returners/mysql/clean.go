package mysql

import (
	"context"
	"database/sql"
	"fmt"
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
	return s.clean(ctx, before, limit, "SELECT EXISTS (SELECT 1 FROM salt_returns WHERE jid = ? AND alter_time >= ?)"+
		" OR EXISTS (SELECT 1 FROM mom_jobs WHERE jid = ? AND held >= ?)")
}

// CleanOlder is Clean for jobs older than keep by the database's clock. For jobs that a mom
// master stored, only that clock counts. Times in jids and returns come from the masters'
// clocks and may keep a job longer.
func (s *Store) CleanOlder(ctx context.Context, keep time.Duration, limit int) (int, error) {
	if err := s.prepare(ctx); err != nil {
		return 0, err
	}
	var now time.Time
	if _, err := sqlread.One(ctx, s.db, []any{&now}, "SELECT CURRENT_TIMESTAMP"); err != nil {
		return 0, s.fault("read the database's clock", err)
	}
	//mutant:ages-by-the-database-clock
	return s.clean(ctx, now.Add(-keep), limit, "SELECT EXISTS (SELECT 1 FROM salt_returns WHERE jid = ? AND alter_time >= ?)"+
		" OR EXISTS (SELECT 1 FROM mom_jobs WHERE jid = ? AND GREATEST(stored, COALESCE(held, stored)) >= ?)")
}

// clean removes old jobs; fresh is an SQL condition for jobs to keep.
func (s *Store) clean(ctx context.Context, before time.Time, limit int, fresh string) (int, error) {
	if limit <= 0 {
		return 0, fmt.Errorf("mysql %s: clean: limit is %d, must be above 0", s.o.where(), limit)
	}
	if err := s.prepare(ctx); err != nil {
		return 0, err
	}
	if s.o.ArchiveJobs {
		if err := s.makeArchives(ctx); err != nil {
			return 0, s.fault("make the archive tables", err)
		}
	}
	total, err := sqlrows.Clean(limit, func(after string) ([]string, error) {
		jids, err := s.oldJobs(ctx, after, before)
		return jids, s.fault("look for old jobs", err)
	}, func(jid string, limit int) (n int, err error) {
		err = s.inTx(ctx, s.db, func(tx *sql.Tx) (err error) {
			n, err = s.cleanJob(ctx, tx, jid, fresh, before, limit)
			return err
		})
		if err != nil {
			return 0, s.fault("clean job "+jid, err)
		}
		return n, nil
	})
	if err != nil {
		return total, err
	}
	n, err := s.cleanEvents(ctx, before, limit-total)
	return total + n, s.fault("clean events", err)
}

// oldJobs pages through the jids of old jobs, with or without a load.
func (s *Store) oldJobs(ctx context.Context, after string, before time.Time) ([]string, error) {
	const size = 200
	var jids []string
	err := sqlread.Each(ctx, s.db, sqlread.Append(&jids, sqlread.Column[string]), `(SELECT jid FROM jids WHERE jid > ? AND jid < ? ORDER BY jid LIMIT ?)
		UNION (SELECT DISTINCT jid FROM salt_returns WHERE jid > ? AND jid < ? ORDER BY jid LIMIT ?)
		UNION (SELECT jid FROM mom_nodes WHERE jid > ? AND jid < ? ORDER BY jid LIMIT ?)
		UNION (SELECT jid FROM mom_jobs WHERE jid > ? AND jid < ? ORDER BY jid LIMIT ?) ORDER BY jid LIMIT ?`,
		after, jid.New(before), size, after, jid.New(before), size, after, jid.New(before), size, after, jid.New(before), size, size)
	return jids, err
}

// children are the tables with rows of a job, with the column that orders their rows.
var children = []struct{ table, key, columns string }{
	{"salt_returns", "id", "`fun`, `jid`, `return`, `id`, `success`, `full_ret`, `alter_time`"},
	{"mom_expected", "id", ""},
	{"mom_nodes", "node", ""},
	{"mom_duplicates", "seq", ""},
}

func (s *Store) cleanJob(ctx context.Context, tx *sql.Tx, jid, freshSQL string, before time.Time, limit int) (int, error) {
	var fresh bool
	err := tx.QueryRowContext(ctx, freshSQL, jid, s.stamp(before), jid, s.stamp(before)).Scan(&fresh)
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
		if _, err := tx.ExecContext(ctx, "INSERT INTO jids_archive (jid, `load`) SELECT jid, `load` FROM jids WHERE jid = ? "+
			"ON DUPLICATE KEY UPDATE `jid` = VALUES(`jid`)", jid); err != nil {
			return total, err
		}
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM mom_jobs WHERE jid = ?", jid); err != nil {
		return total, err
	}
	res, err := tx.ExecContext(ctx, "DELETE FROM jids WHERE jid = ?", jid)
	if err != nil {
		return total, err
	}
	n, err := res.RowsAffected()
	return total + int(n), err
}

// cleanChildren removes the first limit rows of a job from one table, by a range of the
// key: DELETE with LIMIT is not deterministic on replicas.
func (s *Store) cleanChildren(ctx context.Context, tx *sql.Tx, table, key, columns, jid string, limit int) (int, error) {
	var last any
	ok, err := sqlread.One(ctx, tx, []any{&last},
		"SELECT `"+key+"` FROM `"+table+"` WHERE jid = ? ORDER BY `"+key+"` LIMIT 1 OFFSET ?", jid, limit-1)
	if err != nil {
		return 0, err
	}
	where, args := " WHERE jid = ?", []any{jid}
	if ok {
		where, args = where+" AND `"+key+"` <= ?", append(args, last)
	}
	if s.o.ArchiveJobs && columns != "" {
		if _, err := tx.ExecContext(ctx, "INSERT INTO `"+table+"_archive` ("+columns+") SELECT "+columns+" FROM `"+table+"`"+where+
			" ON DUPLICATE KEY UPDATE `jid` = VALUES(`jid`)", args...); err != nil {
			return 0, err
		}
	}
	res, err := tx.ExecContext(ctx, "DELETE FROM `"+table+"`"+where, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

func (s *Store) cleanEvents(ctx context.Context, before time.Time, limit int) (int, error) {
	if limit <= 0 {
		return 0, nil
	}
	limit = min(limit, 1000)
	var total int64
	err := s.inTx(ctx, s.db, func(tx *sql.Tx) error {
		var ids []any
		err := sqlread.Each(ctx, tx, sqlread.Append(&ids, sqlread.Column[any]),
			"SELECT id FROM salt_events WHERE alter_time < ? ORDER BY alter_time, id LIMIT ?", s.stamp(before), limit)
		if err != nil || len(ids) == 0 {
			return err
		}
		in := " WHERE id IN (?" + strings.Repeat(", ?", len(ids)-1) + ")"
		if s.o.ArchiveJobs {
			const columns = "`id`, `tag`, `data`, `alter_time`, `master_id`"
			if _, err := tx.ExecContext(ctx, "INSERT INTO salt_events_archive ("+columns+") SELECT "+columns+" FROM salt_events"+in+
				" ON DUPLICATE KEY UPDATE `tag` = VALUES(`tag`)", ids...); err != nil {
				return err
			}
		}
		res, err := tx.ExecContext(ctx, "DELETE FROM salt_events"+in, ids...)
		if err != nil {
			return err
		}
		total, err = res.RowsAffected()
		return err
	})
	return int(total), err
}

// makeArchives creates Salt's archive tables as copies of their sources.
func (s *Store) makeArchives(ctx context.Context) error {
	for _, t := range []string{"jids", "salt_returns", "salt_events"} {
		if _, err := s.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS `"+t+"_archive` LIKE `"+t+"`"); err != nil {
			return err
		}
	}
	return nil
}
