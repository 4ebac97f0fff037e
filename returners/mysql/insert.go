package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// tables are the tables of jobs. VALUES() instead of a row alias: MariaDB has no alias, and MySQL still accepts VALUES().
var tables = sqlrows.NewTables(sqlrows.Conflicts{
	Loads:   "`load` = IF(VALUES(`load`) LIKE '%\"" + returners.PartField + "\": %' AND CHAR_LENGTH(VALUES(`load`)) > CHAR_LENGTH(`load`), VALUES(`load`), `load`)",
	Returns: "`jid` = VALUES(`jid`)",
	Nodes:   "`jid` = VALUES(`jid`)",
	Events:  "`mom_key` = VALUES(`mom_key`)",
	Expected: "`missing` = CASE WHEN `node` = VALUES(`node`) THEN VALUES(`missing`) " +
		"WHEN " + steps("VALUES(`node`)") + " > " + steps("`node`") + " THEN VALUES(`missing`) " +
		"WHEN " + steps("VALUES(`node`)") + " < " + steps("`node`") + " THEN `missing` " +
		"WHEN VALUES(`missing`) IS NULL OR `missing` IS NULL THEN NULL ELSE VALUES(`missing`) END, " +
		"`node` = IF(" + steps("VALUES(`node`)") + " > " + steps("`node`") +
		" OR " + steps("VALUES(`node`)") + " = " + steps("`node`") + " AND VALUES(`missing`) IS NULL, VALUES(`node`), `node`)",
	Stored: "`stored` = CURRENT_TIMESTAMP",
	Held:   "`held` = CURRENT_TIMESTAMP",
})

// steps returns SQL for the number of nodes in a path.
func steps(path string) string {
	return "IF(" + path + " = '', 0, 1 + CHAR_LENGTH(" + path + ") - CHAR_LENGTH(REPLACE(" + path + ", '/', '')))"
}

// insert returns SQL that inserts n rows.
func insert(t *sqlrows.Table, n int) string {
	row := "(" + strings.Repeat("?, ", len(t.Columns)-1) + "?)"
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT INTO `%s` (`%s`) VALUES ", t.Name, strings.Join(t.Columns, "`, `"))
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(row)
	}
	b.WriteString(" ON DUPLICATE KEY UPDATE ")
	b.WriteString(t.Conflict)
	return b.String()
}

// database is the part of a Store that [sqlrows.Saver] needs.
type database struct{ *Store }

func (d database) Prepare(ctx context.Context) error { return d.prepare(ctx) }

// Send uses a prepared statement for a full batch and plain SQL for any other size.
func (d database) Send(ctx context.Context, t *sqlrows.Table, rows []sqlrows.Row) error {
	run := func() error {
		if len(rows) < sqlrows.BatchRows {
			_, err := d.db.ExecContext(ctx, insert(t, len(rows)), sqlrows.Values(rows)...)
			return err
		}
		st, err := d.full(ctx, t)
		if err != nil {
			return err
		}
		_, err = st.ExecContext(ctx, sqlrows.Values(rows)...)
		return err
	}
	return d.fault("store rows of "+t.Name, run())
}

func (d database) ClearReasons(ctx context.Context, jid string, ids []string) error {
	_, err := d.db.ExecContext(ctx, "UPDATE `mom_expected` SET `missing` = NULL WHERE `jid` = ? AND `id` IN ("+marks(len(ids))+") AND `missing` IS NOT NULL", values(jid, ids)...)
	return d.fault("clear the reasons of minions that returned to job "+jid, err)
}

func (d database) Returned(ctx context.Context, jid string, ids []string) (found []string, err error) {
	err = d.query(ctx, "read who has returned to job "+jid, sqlread.Append(&found, sqlread.Column[string]),
		"SELECT id FROM salt_returns WHERE jid = ? AND id IN ("+marks(len(ids))+")", values(jid, ids)...)
	return found, err
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

// full returns the prepared statement of a full batch.
func (s *Store) full(ctx context.Context, t *sqlrows.Table) (*sql.Stmt, error) {
	s.mu.Lock()
	st := s.kept[t]
	s.mu.Unlock()
	if st != nil {
		return st, nil
	}
	st, err := s.db.PrepareContext(ctx, insert(t, sqlrows.BatchRows))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.kept[t]; other != nil { // prepared meanwhile
		return other, st.Close()
	}
	s.kept[t] = st
	return st, nil
}
