package mysql

import (
	"context"
	"database/sql"
	_ "embed" // the schema
	"errors"
	"fmt"
	"slices"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

//go:embed schema.sql
var schema string

// schemaVersion is written to mom_schema. Increase it when older programs must not write to
// the tables any longer.
const schemaVersion = 1

// migrate creates the tables or migrates existing ones. DDL is not transactional, so each
// step checks the current state and makes only the missing changes. It may be interrupted
// at any point, and two masters may run it at the same time.
func (s *Store) migrate(ctx context.Context) (err error) {
	db, err := s.o.connect(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.PingContext(ctx); err != nil {
		return s.fault("connect", err)
	}
	m := &migration{Store: s, db: db}
	if err := m.version(ctx); err != nil {
		return err
	}
	for _, stmt := range sqlrows.Statements(schema, Name) {
		if err := m.create(ctx, stmt); err != nil {
			return err
		}
	}
	for _, t := range []shape{jidsShape, returnsShape, eventsShape} {
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
	_, err = db.ExecContext(ctx, "INSERT INTO mom_schema (version) VALUES (?) ON DUPLICATE KEY UPDATE version = VALUES(version)", schemaVersion)
	return s.fault("note the schema version", err)
}

type migration struct {
	*Store
	db *sql.DB
}

func (m *migration) version(ctx context.Context) error {
	t, err := m.inspect(ctx, "mom_schema")
	if err != nil || !t.exists() {
		return err
	}
	var v int
	if _, err := sqlread.One(ctx, m.db, []any{&v}, "SELECT COALESCE(MAX(version), 0) FROM mom_schema"); err != nil {
		return m.fault("read the schema version", err)
	}
	if v > schemaVersion {
		return fmt.Errorf("mysql %s: its tables are of version %d, this program knows %d: %w; start the newer version of mom",
			m.o.where(), v, schemaVersion, returners.ErrNewerSchema)
	}
	return nil
}

// create runs CREATE TABLE IF NOT EXISTS only if the table is missing: an account without
// the right to create tables may use existing ones.
func (m *migration) create(ctx context.Context, stmt string) error {
	_, rest, _ := strings.Cut(stmt, "`")
	name, _, _ := strings.Cut(rest, "`")
	t, err := m.inspect(ctx, name)
	if err != nil || t.exists() {
		return err
	}
	m.o.Log.Info("creating table", "database", m.o.where(), "table", name)
	return m.ddl(ctx, stmt)
}

func (m *migration) ddl(ctx context.Context, stmt string) error {
	_, err := m.db.ExecContext(ctx, stmt)
	return m.fault("run "+sqlrows.First(stmt), err)
}

// widen changes columns that are too narrow, not utf8mb4, or keys without byte-wise
// comparison.
func (m *migration) widen(ctx context.Context, name string, want shape) error {
	t, err := m.inspect(ctx, name)
	if err != nil || !t.exists() {
		return err
	}
	changes := t.changesTo(want)
	if len(changes) == 0 {
		return nil
	}
	m.o.Log.Info("widening columns", "database", m.o.where(), "table", name, "changes", len(changes), "hint", "this takes long on a large table")
	stmt := "ALTER TABLE `" + name + "` " + strings.Join(append(changes, "ROW_FORMAT=DYNAMIC"), ", ")
	if err := m.ddl(ctx, stmt); err != nil {
		if again, ierr := m.inspect(ctx, name); ierr == nil && len(again.changesTo(want)) == 0 {
			return nil // another master did it meanwhile
		}
		return err
	}
	return nil
}

// unique makes columns unique. dedupe removes duplicate rows first. Python masters may add
// more meanwhile, hence the retries.
func (m *migration) unique(ctx context.Context, name string, columns []string, dedupe func(context.Context) error) error {
	for try := 0; ; try++ {
		t, err := m.inspect(ctx, name)
		if err != nil || t.unique(columns) {
			return err
		}
		if err := dedupe(ctx); err != nil {
			return err
		}
		what := "ADD PRIMARY KEY"
		if t.hasPrimary() {
			what = "ADD UNIQUE KEY `mom_unique`"
		}
		m.o.Log.Info("adding unique index", "database", m.o.where(), "table", name, "columns", columns)
		err = m.ddl(ctx, "ALTER TABLE `"+name+"` "+what+" (`"+strings.Join(columns, "`, `")+"`)")
		var me *driver.MySQLError
		if err == nil || try >= 10 || !errors.As(err, &me) ||
			!slices.Contains([]uint16{1061, 1062, 1068}, me.Number) { // key exists, duplicate row, primary key exists
			return err
		}
	}
}

// events adds the key that deduplicates deliveries to salt_events.
func (m *migration) events(ctx context.Context) error {
	t, err := m.inspect(ctx, "salt_events")
	if err != nil {
		return err
	}
	var changes []string
	if _, ok := t.columns["mom_key"]; !ok {
		changes = append(changes, "ADD COLUMN `mom_key` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL")
	}
	if !t.unique([]string{"mom_key"}) {
		changes = append(changes, "ADD UNIQUE KEY `mom_key` (`mom_key`)")
	}
	if !t.indexed("alter_time") {
		changes = append(changes, "ADD KEY `alter_time` (`alter_time`)")
	}
	if len(changes) == 0 {
		return nil
	}
	err = m.ddl(ctx, "ALTER TABLE `salt_events` "+strings.Join(changes, ", "))
	if again, ierr := m.inspect(ctx, "salt_events"); err != nil && ierr == nil && again.unique([]string{"mom_key"}) {
		return nil // another master did it meanwhile
	}
	return err
}
