package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/returners/internal/sqlread"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// dedupePage is the number of jobs checked in one step.
const dedupePage = 200

// dedupeReturns keeps one row per (jid, id). In Salt, several tiers and --return each wrote
// their own. The oldest result stays, with the longest full_ret of the same result; rows
// with other results move to mom_duplicates.
func (m *migration) dedupeReturns(ctx context.Context) error {
	return m.eachPage(ctx, "salt_returns", func(from, to string) error {
		type key struct{ jid, id string }
		var doubled []key
		err := sqlread.Each(ctx, m.db, sqlread.Append(&doubled, func(scan sqlread.Scan) (k key, err error) {
			err = scan(&k.jid, &k.id)
			return k, err
		}), "SELECT jid, id FROM salt_returns WHERE jid >= ? AND jid <= ? GROUP BY jid, id HAVING COUNT(*) > 1", from, to)
		if err != nil {
			return m.fault("look for doubled returns", err)
		}
		// Masters that migrate at once through several nodes of a cluster begin at different rows:
		// nodes lock no rows of each other, and of two changes of a row one is undone at its COMMIT.
		rand.Shuffle(len(doubled), func(i, j int) { doubled[i], doubled[j] = doubled[j], doubled[i] })
		for _, k := range doubled {
			if err := m.inTx(ctx, func(tx *sql.Tx) error { return mergeReturns(ctx, tx, k.jid, k.id) }); err != nil {
				return m.fault(fmt.Sprintf("merge the rows of %s for job %s", k.id, k.jid), err)
			}
		}
		return nil
	})
}

// dedupeJIDs keeps one row per job, the one with the longest load.
func (m *migration) dedupeJIDs(ctx context.Context) error {
	return m.eachPage(ctx, "jids", func(from, to string) error {
		var jids []string
		err := sqlread.Each(ctx, m.db, sqlread.Append(&jids, sqlread.Column[string]),
			"SELECT jid FROM jids WHERE jid >= ? AND jid <= ? GROUP BY jid HAVING COUNT(*) > 1", from, to)
		if err != nil {
			return m.fault("look for doubled jobs", err)
		}
		for _, jid := range jids {
			err := m.inTx(ctx, func(tx *sql.Tx) error {
				var load string
				if err := tx.QueryRowContext(ctx, "SELECT `load` FROM jids WHERE jid = ? ORDER BY CHAR_LENGTH(`load`) DESC LIMIT 1 FOR UPDATE", jid).Scan(&load); err != nil {
					return err
				}
				return execAll(ctx, tx, step{"DELETE FROM jids WHERE jid = ?", []any{jid}},
					step{"INSERT INTO jids (jid, `load`) VALUES (?, ?)", []any{jid, load}})
			})
			if err != nil {
				return m.fault("merge the rows of job "+jid, err)
			}
		}
		return nil
	})
}

// eachPage visits the jids of a table in order, at the cost of one pass over an index.
func (m *migration) eachPage(ctx context.Context, table string, do func(from, to string) error) error {
	for after := ""; ; {
		var jids []string
		err := sqlread.Each(ctx, m.db, sqlread.Append(&jids, sqlread.Column[string]),
			"SELECT DISTINCT jid FROM `"+table+"` WHERE jid > ? ORDER BY jid LIMIT ?", after, dedupePage)
		if err != nil {
			return m.fault("walk the jobs of "+table, err)
		}
		if len(jids) == 0 {
			return nil
		}
		last := jids[len(jids)-1]
		if err := do(jids[0], last); err != nil {
			return err
		}
		after = last
	}
}

type savedReturn struct {
	fun, value, success, full string
	at                        sql.NullTime
}

func mergeReturns(ctx context.Context, tx *sql.Tx, jid, id string) error {
	var all []savedReturn
	err := sqlread.Each(ctx, tx, sqlread.Append(&all, func(scan sqlread.Scan) (r savedReturn, err error) {
		err = scan(&r.fun, &r.value, &r.success, &r.full, &r.at)
		return r, err
	}), "SELECT fun, `return`, success, full_ret, alter_time FROM salt_returns WHERE jid = ? AND id = ? ORDER BY alter_time FOR UPDATE", jid, id)
	if err != nil || len(all) < 2 {
		return err
	}
	keep := all[0]
	steps := []step{{"DELETE FROM salt_returns WHERE jid = ? AND id = ?", []any{jid, id}}}
	for _, r := range all[1:] {
		if r.fun != keep.fun || r.value != keep.value || r.success != keep.success {
			steps = append(steps, insertReturn("mom_duplicates", jid, id, r))
		} else if len(r.full) > len(keep.full) {
			keep.full = r.full
		}
	}
	return execAll(ctx, tx, append(steps, insertReturn("salt_returns", jid, id, keep))...)
}

func insertReturn(table, jid, id string, r savedReturn) step {
	return step{
		"INSERT INTO " + table + " (fun, jid, `return`, id, success, full_ret, alter_time) VALUES (?, ?, ?, ?, ?, ?, ?)",
		[]any{r.fun, jid, r.value, id, r.success, r.full, r.at},
	}
}

type step struct {
	query string
	args  []any
}

func execAll(ctx context.Context, tx *sql.Tx, steps ...step) error {
	for _, s := range steps {
		if _, err := tx.ExecContext(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// inTx runs fn in a transaction and repeats it when other writers held its rows.
func (m *migration) inTx(ctx context.Context, fn func(*sql.Tx) error) error {
	return m.Store.inTx(ctx, m.db, fn)
}

func (s *Store) inTx(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	return s.writer.Retry(ctx, func() error { return tryTx(ctx, db, fn) })
}

func tryTx(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	return sqlrows.Tx(ctx, db, fn)
}
