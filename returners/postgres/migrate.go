package postgres

import (
	"context"
	"database/sql"
	_ "embed" // the schema
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

//go:embed schema.sql
var schema string

// schemaVersion is written to mom_schema. Increase it when older programs must not write to
// the tables any longer.
const schemaVersion = 1

// migrationLock is the key of the advisory lock that a migration holds: two masters do not
// run it at the same time.
const migrationLock = 0x6d6f6d5f73716c

// migrate creates the tables or migrates existing ones, in one transaction. It has no time
// limit, because the first run may merge many rows.
func (s *Store) migrate(ctx context.Context) (err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.fault(ctx, "connect", err)
	}
	defer func() {
		if err != nil {
			err = sqlrows.Undo(tx, err)
		}
	}()
	m := &migration{Store: s, tx: tx}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return s.fault(ctx, "lock the tables against other masters", err)
	}
	if err := m.run(ctx); err != nil {
		return err
	}
	return s.fault(ctx, "commit the changes of the tables", tx.Commit())
}

// migration is one run of migrate.
type migration struct {
	*Store
	tx *sql.Tx
}

func (m *migration) run(ctx context.Context) error {
	known, err := m.version(ctx)
	if err != nil {
		return err
	}
	if err := m.createAll(ctx); err != nil {
		return err
	}
	for _, t := range m.o.form.shapes() {
		if err := m.widen(ctx, t.name, t); err != nil {
			return err
		}
		if err := m.widen(ctx, t.name+"_archive", t); err != nil {
			return err
		}
	}
	if err := m.unique(ctx, "jids", []string{"jid"}, m.dedupeJIDs); err != nil {
		return err
	}
	if err := m.unique(ctx, "salt_returns", []string{"jid", "id"}, m.dedupeReturns); err != nil {
		return err
	}
	if err := m.events(ctx); err != nil {
		return err
	}
	if known {
		return nil
	}
	_, err = m.tx.ExecContext(ctx, "INSERT INTO mom_schema (version) VALUES ($1) ON CONFLICT (version) DO NOTHING", schemaVersion)
	return m.fault(ctx, "note the schema version", err)
}

// version reports whether the tables are of this version. Those of a newer one are an error.
func (m *migration) version(ctx context.Context) (known bool, err error) {
	t, err := m.inspect(ctx, "mom_schema")
	if err != nil || !t.exists() {
		return false, err
	}
	var v int
	if _, err := sqlread.One(ctx, m.tx, []any{&v}, "SELECT COALESCE(MAX(version), 0) FROM mom_schema"); err != nil {
		return false, m.fault(ctx, "read the schema version", err)
	}
	if v > schemaVersion {
		return false, fmt.Errorf("%s %s: its tables are of version %d, this program knows %d: %w; start the newer version of mom",
			m.o.Returner, m.o.where(), v, schemaVersion, returners.ErrNewerSchema)
	}
	return v == schemaVersion, nil
}

// statement is one statement of the schema.
type statement struct {
	text  string
	table string // that it creates, or adds an index to
	index bool
}

// statementsOf returns the statements of a script for one returner.
func statementsOf(script string, f form) (out []statement) {
	for _, text := range sqlrows.Statements(script, f.name) {
		s := statement{text: strings.ReplaceAll(text, " JSON ", " "+f.json+" ")}
		words := strings.Fields(s.text)
		s.table, s.index = words[2], words[1] == "INDEX"
		if s.index {
			s.table = words[4]
		}
		out = append(out, s)
	}
	return out
}

// createAll creates the tables that are missing, with their indexes: an account without the
// right to create tables may use existing ones.
func (m *migration) createAll(ctx context.Context) error {
	created := map[string]bool{}
	for _, s := range statementsOf(schema, m.o.form) {
		if !s.index {
			t, err := m.inspect(ctx, s.table)
			if err != nil {
				return err
			}
			if created[s.table] = !t.exists(); !created[s.table] {
				continue
			}
			m.o.Log.Info("creating table", "database", m.o.where(), "table", s.table)
			if s.table == "salt_events" {
				if err := m.ddl(ctx, "CREATE SEQUENCE IF NOT EXISTS seq_salt_events_id"); err != nil {
					return err
				}
			}
		}
		if created[s.table] {
			if err := m.ddl(ctx, s.text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *migration) ddl(ctx context.Context, stmt string) error {
	_, err := m.tx.ExecContext(ctx, stmt)
	return m.fault(ctx, "run "+sqlrows.First(stmt), err)
}

// widen changes columns that are too narrow and adds missing ones.
func (m *migration) widen(ctx context.Context, name string, want shape) error {
	t, err := m.inspect(ctx, name)
	if err != nil || !t.exists() {
		return err
	}
	changes, err := t.changesTo(want)
	if err != nil {
		if other := m.o.form.other(); errors.Is(err, errType(other.json)) {
			err = fmt.Errorf("%w, as in tables of the returner %s: use that returner or another database", err, other.name)
		}
		return m.o.failure(returners.ClassSchema, "look at the table "+name, err)
	}
	if len(changes) == 0 {
		return nil
	}
	m.o.Log.Info("widening columns", "database", m.o.where(), "table", name, "changes", len(changes))
	return m.ddl(ctx, "ALTER TABLE "+name+" "+strings.Join(changes, ", "))
}

// unique makes columns unique. dedupe removes duplicate rows first; the lock keeps Python
// masters from adding more meanwhile.
func (m *migration) unique(ctx context.Context, name string, columns []string, dedupe func(context.Context) error) error {
	t, err := m.inspect(ctx, name)
	if err != nil || t.unique(columns) {
		return err
	}
	m.o.Log.Info("adding unique index", "database", m.o.where(), "table", name, "columns", columns,
		"hint", "duplicate rows are merged first, which takes long on a large table")
	if err := m.ddl(ctx, "LOCK TABLE "+name+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	if err := dedupe(ctx); err != nil {
		return err
	}
	what := "PRIMARY KEY"
	if t.hasPrimary() {
		what = "UNIQUE"
	}
	return m.ddl(ctx, "ALTER TABLE "+name+" ADD "+what+" ("+strings.Join(columns, ", ")+")")
}

// events adds the key that deduplicates deliveries to salt_events.
func (m *migration) events(ctx context.Context) error {
	t, err := m.inspect(ctx, "salt_events")
	if err != nil {
		return err
	}
	var steps []string
	if !t.unique([]string{"mom_key"}) {
		steps = append(steps, "CREATE UNIQUE INDEX mom_events_key ON salt_events (mom_key)")
	}
	if !t.indexed("alter_time") {
		steps = append(steps, "CREATE INDEX mom_events_time ON salt_events (alter_time)")
	}
	for _, stmt := range steps {
		if err := m.ddl(ctx, stmt); err != nil {
			return err
		}
	}
	return nil
}

// step is a statement with its arguments.
type step struct {
	query string
	args  []any
}

func (m *migration) steps(ctx context.Context, doing string, all ...step) error {
	for _, s := range all {
		if _, err := m.tx.ExecContext(ctx, s.query, s.args...); err != nil {
			return m.fault(ctx, doing, err)
		}
	}
	return nil
}

// dedupeReturns keeps one row per (jid, id). In Salt, several tiers and --return each wrote
// their own. The oldest result stays, with the longest full_ret of the same result; rows
// with other results move to mom_duplicates.
func (m *migration) dedupeReturns(ctx context.Context) error {
	return m.steps(
		ctx, "merge doubled returns",
		step{query: `CREATE TEMPORARY TABLE mom_merged ON COMMIT DROP AS
			SELECT r.*, r.fun = first_fun AND r."return" = first_return AND r.success = first_success AS same FROM (
				SELECT fun, jid, "return", id, success, full_ret, alter_time,
					COUNT(*) OVER (PARTITION BY jid, id) AS times,
					first_value(fun) OVER w AS first_fun, first_value("return") OVER w AS first_return,
					first_value(success) OVER w AS first_success, first_value(alter_time) OVER w AS first_time
				FROM salt_returns WINDOW w AS (PARTITION BY jid, id ORDER BY alter_time, length(full_ret::text) DESC NULLS LAST)
			) r WHERE times > 1`},
		step{query: `INSERT INTO mom_duplicates (fun, jid, "return", id, success, full_ret, alter_time)
			SELECT fun, jid, "return"::text, id, success, full_ret::text, alter_time FROM mom_merged WHERE NOT same`},
		step{query: `DELETE FROM salt_returns r USING (SELECT DISTINCT jid, id FROM mom_merged) d WHERE r.jid = d.jid AND r.id = d.id`},
		step{query: `INSERT INTO salt_returns (fun, jid, "return", id, success, full_ret, alter_time)
			SELECT DISTINCT ON (jid, id) fun, jid, "return", id, success, full_ret, first_time FROM mom_merged
			WHERE same ORDER BY jid, id, length(full_ret::text) DESC NULLS LAST`},
	)
}

// dedupeJIDs keeps one row per job, the one with the longest load.
func (m *migration) dedupeJIDs(ctx context.Context) error {
	return m.steps(
		ctx, "merge doubled jobs",
		step{query: `CREATE TEMPORARY TABLE mom_loads ON COMMIT DROP AS SELECT DISTINCT ON (jid) jid, load FROM jids
			WHERE jid IN (SELECT jid FROM jids GROUP BY jid HAVING COUNT(*) > 1) ORDER BY jid, length(load::text) DESC`},
		step{query: `DELETE FROM jids WHERE jid IN (SELECT jid FROM mom_loads)`},
		step{query: `INSERT INTO jids (jid, load) SELECT jid, load FROM mom_loads`},
	)
}
