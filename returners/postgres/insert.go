package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// table is one target of batched inserts.
type table struct {
	name     string
	columns  []string
	conflict string // after ON CONFLICT
	// merges: the conflict changes the row, so a statement may name it only once.
	merges bool
	// repeatable: a batch with an unknown outcome may be sent again.
	repeatable bool
}

var (
	jidsTable = &table{
		name: "jids", columns: []string{"jid", "load"}, merges: true, repeatable: true,
		// The first load stays, except when an extended job names more minions.
		conflict: `(jid) DO UPDATE SET load = EXCLUDED.load WHERE EXCLUDED.load::text LIKE '%"` + returners.PartField + `": %'` +
			` AND length(EXCLUDED.load::text) > length(jids.load::text)`,
	}
	returnsTable = &table{
		name: "salt_returns", columns: []string{"fun", "jid", "return", "id", "success", "full_ret", "alter_time"}, repeatable: true,
		conflict: "(jid, id) DO NOTHING", // the first return stays
	}
	eventsTable = &table{
		name: "salt_events", columns: []string{"tag", "data", "alter_time", "master_id", "mom_key"},
		conflict: "(mom_key) DO NOTHING",
	}
	// Several masters write the state of one minion, in any order. A longer path means a
	// node further up, whose state is newer: it wins. Of equal paths the later row wins. Of
	// different nodes at the same distance, as after a minion moved, the one that asks the
	// minion wins until it reports otherwise.
	expectedTable = &table{
		name: "mom_expected", columns: []string{"jid", "id", "node", "missing", "alter_time"}, merges: true, repeatable: true,
		conflict: "(jid, id) DO UPDATE SET missing = CASE WHEN " + stored + " = " + added + " THEN EXCLUDED.missing " +
			"WHEN " + steps(added) + " > " + steps(stored) + " THEN EXCLUDED.missing " +
			"WHEN " + steps(added) + " < " + steps(stored) + " THEN mom_expected.missing " +
			"WHEN EXCLUDED.missing IS NULL OR mom_expected.missing IS NULL THEN NULL ELSE EXCLUDED.missing END, " +
			"node = CASE WHEN " + steps(added) + " > " + steps(stored) +
			" OR " + steps(added) + " = " + steps(stored) + " AND EXCLUDED.missing IS NULL THEN " + added + " ELSE " + stored + " END",
	}
	// The time stored or held comes from the database's clock, never from a master's.
	jobsTable = &table{name: "mom_jobs", columns: []string{"jid"}, merges: true, repeatable: true, conflict: "(jid) DO UPDATE SET stored = CURRENT_TIMESTAMP"}
	heldTable = &table{name: "mom_jobs", columns: []string{"jid"}, merges: true, repeatable: true, conflict: "(jid) DO UPDATE SET held = CURRENT_TIMESTAMP"}

	nodesTable = &table{
		name: "mom_nodes", columns: []string{"jid", "node", "alter_time"}, repeatable: true,
		conflict: "(jid, node) DO NOTHING",
	}
)

// The paths of a stored and of an added row of mom_expected.
const (
	stored = "mom_expected.node"
	added  = "EXCLUDED.node"
)

// steps returns SQL for the number of nodes in a path.
func steps(path string) string {
	return "CASE WHEN " + path + " = '' THEN 0 ELSE 1 + length(" + path + ") - length(replace(" + path + ", '/', '')) END"
}

// statement returns SQL that inserts n rows.
func (t *table) statement(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `INSERT INTO %s ("%s") VALUES `, t.name, strings.Join(t.columns, `", "`))
	for i := range n * len(t.columns) {
		switch {
		case i == 0:
			b.WriteString("($1")
		case i%len(t.columns) == 0:
			fmt.Fprintf(&b, "), ($%d", i+1)
		default:
			fmt.Fprintf(&b, ", $%d", i+1)
		}
	}
	b.WriteString(") ON CONFLICT ")
	b.WriteString(t.conflict)
	return b.String()
}

// send stores one batch.
func (s *Store) send(ctx context.Context, t *table, rows []sqlrows.Row) error {
	return s.exec(ctx, "store rows of "+t.name, t.statement(len(rows)), sqlrows.Values(rows)...)
}

// exec runs one statement.
func (s *Store) exec(ctx context.Context, doing, text string, args ...any) error {
	return s.within(ctx, doing, func(ctx context.Context, _ func()) error {
		_, err := s.db.ExecContext(ctx, text, args...)
		return err
	})
}
