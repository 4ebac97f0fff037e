package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// table is one target of batched inserts.
type table struct {
	name    string
	columns []string
	update  string // after ON DUPLICATE KEY UPDATE
	// repeatable: a batch with an unknown outcome may be sent again.
	repeatable bool
}

// VALUES() instead of a row alias: MariaDB has no alias, and MySQL still accepts VALUES().
var (
	jidsTable = &table{
		name: "jids", columns: []string{"jid", "load"}, repeatable: true,
		// The first load stays, except when an extended job names more minions.
		update: "`load` = IF(VALUES(`load`) LIKE '%\"" + returners.PartField + "\": %' AND CHAR_LENGTH(VALUES(`load`)) > CHAR_LENGTH(`load`), VALUES(`load`), `load`)",
	}
	returnsTable = &table{
		name: "salt_returns", columns: []string{"fun", "jid", "return", "id", "success", "full_ret", "alter_time"}, repeatable: true,
		update: "`jid` = VALUES(`jid`)", // changes nothing: the first return stays
	}
	eventsTable = &table{
		name: "salt_events", columns: []string{"tag", "data", "alter_time", "master_id", "mom_key"},
		update: "`mom_key` = VALUES(`mom_key`)",
	}
	// Several masters write the state of one minion, in any order. A longer path means a
	// node further up, whose state is newer: it wins. Of equal paths the later row wins. Of
	// different nodes at the same distance, as after a minion moved, the one that asks the
	// minion wins until it reports otherwise.
	expectedTable = &table{
		name: "mom_expected", columns: []string{"jid", "id", "node", "missing", "alter_time"}, repeatable: true,
		update: "`missing` = CASE WHEN `node` = VALUES(`node`) THEN VALUES(`missing`) " +
			"WHEN " + steps("VALUES(`node`)") + " > " + steps("`node`") + " THEN VALUES(`missing`) " +
			"WHEN " + steps("VALUES(`node`)") + " < " + steps("`node`") + " THEN `missing` " +
			"WHEN VALUES(`missing`) IS NULL OR `missing` IS NULL THEN NULL ELSE VALUES(`missing`) END, " +
			"`node` = IF(" + steps("VALUES(`node`)") + " > " + steps("`node`") +
			" OR " + steps("VALUES(`node`)") + " = " + steps("`node`") + " AND VALUES(`missing`) IS NULL, VALUES(`node`), `node`)",
	}
	// The time stored or held comes from the database's clock, never from a master's.
	jobsTable = &table{name: "mom_jobs", columns: []string{"jid"}, repeatable: true, update: "`stored` = CURRENT_TIMESTAMP"}
	heldTable = &table{name: "mom_jobs", columns: []string{"jid"}, repeatable: true, update: "`held` = CURRENT_TIMESTAMP"}

	nodesTable = &table{
		name: "mom_nodes", columns: []string{"jid", "node", "alter_time"}, repeatable: true,
		update: "`jid` = VALUES(`jid`)",
	}
)

// steps returns SQL for the number of nodes in a path.
func steps(path string) string {
	return "IF(" + path + " = '', 0, 1 + CHAR_LENGTH(" + path + ") - CHAR_LENGTH(REPLACE(" + path + ", '/', '')))"
}

// statement returns SQL that inserts n rows.
func (t *table) statement(n int) string {
	row := "(" + strings.Repeat("?, ", len(t.columns)-1) + "?)"
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT INTO `%s` (`%s`) VALUES ", t.name, strings.Join(t.columns, "`, `"))
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(row)
	}
	b.WriteString(" ON DUPLICATE KEY UPDATE ")
	b.WriteString(t.update)
	return b.String()
}

// send uses a prepared statement for a full batch and plain SQL for any other size.
func (s *Store) send(ctx context.Context, t *table, rows []sqlrows.Row) error {
	run := func() error {
		if len(rows) < sqlrows.BatchRows {
			_, err := s.db.ExecContext(ctx, t.statement(len(rows)), sqlrows.Values(rows)...)
			return err
		}
		st, err := s.full(ctx, t)
		if err != nil {
			return err
		}
		_, err = st.ExecContext(ctx, sqlrows.Values(rows)...)
		return err
	}
	return s.fault("store rows of "+t.name, run())
}

func (s *Store) full(ctx context.Context, t *table) (*sql.Stmt, error) {
	s.mu.Lock()
	st := s.kept[t]
	s.mu.Unlock()
	if st != nil {
		return st, nil
	}
	st, err := s.db.PrepareContext(ctx, t.statement(sqlrows.BatchRows))
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
