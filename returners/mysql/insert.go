package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/returners"
)

const (
	batchRows  = 500
	batchBytes = 1 << 20 // well under the smallest max_allowed_packet in use (4 MiB)
	tries      = 8       // of a batch that meets contention
)

// table is one target of batched inserts.
type table struct {
	name    string
	columns []string
	update  string // after ON DUPLICATE KEY UPDATE
	// repeatable: a batch whose outcome is unknown may be sent again.
	repeatable bool
}

// VALUES() and not a row alias: MariaDB has no alias, MySQL still takes this.
var (
	jidsTable = &table{
		name: "jids", columns: []string{"jid", "load"}, repeatable: true,
		// The first load stays, but for that of a job that was extended, which names more minions.
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
	// Several masters write what they know of one minion, in any order. Seen from
	// further up its path has more steps and the word is newer: it stands. Of equal
	// paths the later word counts. Of different nodes as far away, as when a minion
	// has moved, the one that asks the minion speaks for it until it says otherwise.
	expectedTable = &table{
		name: "mom_expected", columns: []string{"jid", "id", "node", "missing", "alter_time"}, repeatable: true,
		update: "`missing` = CASE WHEN `node` = VALUES(`node`) THEN VALUES(`missing`) " +
			"WHEN " + steps("VALUES(`node`)") + " > " + steps("`node`") + " THEN VALUES(`missing`) " +
			"WHEN " + steps("VALUES(`node`)") + " < " + steps("`node`") + " THEN `missing` " +
			"WHEN VALUES(`missing`) IS NULL OR `missing` IS NULL THEN NULL ELSE VALUES(`missing`) END, " +
			"`node` = IF(" + steps("VALUES(`node`)") + " > " + steps("`node`") +
			" OR " + steps("VALUES(`node`)") + " = " + steps("`node`") + " AND VALUES(`missing`) IS NULL, VALUES(`node`), `node`)",
	}
	// The database's own clock, that of no master, tells when a job was stored or held.
	jobsTable = &table{name: "mom_jobs", columns: []string{"jid"}, repeatable: true, update: "`stored` = CURRENT_TIMESTAMP"}
	heldTable = &table{name: "mom_jobs", columns: []string{"jid"}, repeatable: true, update: "`held` = CURRENT_TIMESTAMP"}

	nodesTable = &table{
		name: "mom_nodes", columns: []string{"jid", "node", "alter_time"}, repeatable: true,
		update: "`jid` = VALUES(`jid`)",
	}
)

// steps is SQL for how many nodes a path leads over.
func steps(path string) string {
	return "IF(" + path + " = '', 0, 1 + CHAR_LENGTH(" + path + ") - CHAR_LENGTH(REPLACE(" + path + ", '/', '')))"
}

// statement inserts n rows.
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

// row is one row of a batch.
type row struct {
	values []any
	size   int
}

// insert sends rows, which the caller has sorted by key, in batches.
func (s *Store) insert(ctx context.Context, t *table, rows []row) error {
	for len(rows) > 0 {
		n, size := 0, 0
		for n < len(rows) && n < batchRows && (n == 0 || size+rows[n].size <= batchBytes) {
			size += rows[n].size
			n++
		}
		if err := s.batch(ctx, t, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// batch sends one batch, again while other writers hold its rows.
func (s *Store) batch(ctx context.Context, t *table, rows []row) error {
	args := make([]any, 0, len(rows)*len(t.columns))
	for i := range rows {
		args = append(args, rows[i].values...)
	}
	var err error
	reconnected := false
	for try := range tries {
		if err = s.send(ctx, t, len(rows), args); err == nil {
			s.count(func(st *Stats) { st.Rows += uint64(len(rows)); st.Statements++ })
			return nil
		}
		switch class := classOf(err); {
		case class == ClassDuplicate:
			return s.split(ctx, t, rows)
		case class == ClassContention:
		case class == ClassConnection && t.repeatable && !reconnected && ctx.Err() == nil:
			reconnected = true // a connection that had died; the next one tells whether the server did
		default:
			return s.fault("store rows of "+t.name, err)
		}
		s.count(func(st *Stats) { st.Retries++ })
		if pause(ctx, try) != nil {
			break
		}
	}
	return s.fault("store rows of "+t.name, err)
}

// split handles 1062 on a table with a unique key beyond ours, or from a
// server that finds it only at commit: the row that has it is there already.
func (s *Store) split(ctx context.Context, t *table, rows []row) error {
	if len(rows) == 1 {
		s.count(func(st *Stats) { st.Duplicates++ })
		return nil
	}
	if err := s.batch(ctx, t, rows[:len(rows)/2]); err != nil {
		return err
	}
	return s.batch(ctx, t, rows[len(rows)/2:])
}

// send uses a kept statement for a full batch and text for any other size.
func (s *Store) send(ctx context.Context, t *table, n int, args []any) error {
	if n < batchRows {
		_, err := s.db.ExecContext(ctx, t.statement(n), args...)
		return err
	}
	st, err := s.full(ctx, t)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(ctx, args...)
	return err
}

func (s *Store) full(ctx context.Context, t *table) (*sql.Stmt, error) {
	s.mu.Lock()
	st := s.kept[t]
	s.mu.Unlock()
	if st != nil {
		return st, nil
	}
	st, err := s.db.PrepareContext(ctx, t.statement(batchRows))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.kept[t]; other != nil { // made meanwhile
		return other, st.Close()
	}
	s.kept[t] = st
	return st, nil
}

func (s *Store) count(f func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stats)
}

// pause waits a random part of 10 ms, 20 ms, … 640 ms.
func pause(ctx context.Context, try int) error {
	return timing.Sleep(ctx, rand.N(10*time.Millisecond<<min(try, 6)))
}
