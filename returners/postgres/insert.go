package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// tables are the tables of jobs.
var tables = sqlrows.NewTables(sqlrows.Conflicts{
	Loads: `(jid) DO UPDATE SET load = EXCLUDED.load WHERE EXCLUDED.load::text LIKE '%"` + returners.PartField + `": %'` +
		` AND length(EXCLUDED.load::text) > length(jids.load::text)`,
	Returns: "(jid, id) DO NOTHING",
	Nodes:   "(jid, node) DO NOTHING",
	Events:  "(mom_key) DO NOTHING",
	Expected: "(jid, id) DO UPDATE SET missing = CASE WHEN " + stored + " = " + added + " THEN EXCLUDED.missing " +
		"WHEN " + steps(added) + " > " + steps(stored) + " THEN EXCLUDED.missing " +
		"WHEN " + steps(added) + " < " + steps(stored) + " THEN mom_expected.missing " +
		"WHEN EXCLUDED.missing IS NULL OR mom_expected.missing IS NULL THEN NULL ELSE EXCLUDED.missing END, " +
		"node = CASE WHEN " + steps(added) + " > " + steps(stored) +
		" OR " + steps(added) + " = " + steps(stored) + " AND EXCLUDED.missing IS NULL THEN " + added + " ELSE " + stored + " END",
	Stored: "(jid) DO UPDATE SET stored = CURRENT_TIMESTAMP",
	Held:   "(jid) DO UPDATE SET held = CURRENT_TIMESTAMP",
})

// The paths of a stored and of an added row of mom_expected.
const (
	stored = "mom_expected.node"
	added  = "EXCLUDED.node"
)

// steps returns SQL for the number of nodes in a path.
func steps(path string) string {
	return "CASE WHEN " + path + " = '' THEN 0 ELSE 1 + length(" + path + ") - length(replace(" + path + ", '/', '')) END"
}

// insert returns SQL that inserts n rows.
func insert(t *sqlrows.Table, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `INSERT INTO %s ("%s") VALUES `, t.Name, strings.Join(t.Columns, `", "`))
	for i := range n * len(t.Columns) {
		switch {
		case i == 0:
			b.WriteString("($1")
		case i%len(t.Columns) == 0:
			fmt.Fprintf(&b, "), ($%d", i+1)
		default:
			fmt.Fprintf(&b, ", $%d", i+1)
		}
	}
	b.WriteString(") ON CONFLICT ")
	b.WriteString(t.Conflict)
	return b.String()
}

// database is the part of a Store that [sqlrows.Saver] needs.
type database struct{ *Store }

func (d database) Prepare(ctx context.Context) error { return d.prepare(ctx) }

func (d database) Send(ctx context.Context, t *sqlrows.Table, rows []sqlrows.Row) error {
	return d.exec(ctx, "store rows of "+t.Name, insert(t, len(rows)), sqlrows.Values(rows)...)
}

func (d database) ClearReasons(ctx context.Context, jid string, ids []string) error {
	return d.exec(ctx, "clear the reasons of minions that returned to job "+jid,
		"UPDATE mom_expected SET missing = NULL WHERE jid = $1 AND id = ANY($2) AND missing IS NOT NULL", jid, ids)
}

func (d database) Returned(ctx context.Context, jid string, ids []string) (found []string, err error) {
	err = d.query(ctx, "read who has returned to job "+jid, sqlread.Append(&found, sqlread.Column[string]),
		"SELECT id FROM salt_returns WHERE jid = $1 AND id = ANY($2)", jid, ids)
	return found, err
}

// exec runs one statement.
func (s *Store) exec(ctx context.Context, doing, text string, args ...any) error {
	return s.within(ctx, doing, func(ctx context.Context, _ func()) error {
		_, err := s.db.ExecContext(ctx, text, args...)
		return err
	})
}
