package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/returners"
)

// migrations holds NNNN_name.sql. Each runs once, in a transaction, in the order of the
// numbers. A released migration is never edited.
//
//go:embed migrations/*.sql
var migrations embed.FS

func migrate(ctx context.Context, db *sql.DB) error {
	return migrateFrom(ctx, db, migrations)
}

func migrateFrom(ctx context.Context, db *sql.DB, files fs.FS) error {
	const table = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL)"
	if _, err := db.ExecContext(ctx, table); err != nil {
		return fmt.Errorf("make table schema_version: %w", err)
	}
	var have int
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM schema_version").Scan(&have); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	slices.Sort(names)
	known := 0
	for _, name := range names {
		base := strings.TrimPrefix(name, "migrations/")
		number, _, _ := strings.Cut(base, "_")
		v, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("migration %s has no number", base)
		}
		known = v
		if v <= have {
			continue
		}
		if err := apply(ctx, db, files, name, v); err != nil {
			return fmt.Errorf("migration %s: %w", base, err)
		}
	}
	if have > known {
		return fmt.Errorf("its schema is version %d, this program knows up to %d: %w; start the newer version of mom that wrote it, or restore the older file",
			have, known, returners.ErrNewerSchema)
	}
	return nil
}

func apply(ctx context.Context, db *sql.DB, files fs.FS, name string, version int) error {
	script, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit it does nothing
	if _, err := tx.ExecContext(ctx, string(script)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO schema_version (version, name, at) VALUES (?, ?, ?)",
		version, name, time.Now().UTC().Format(time.RFC3339)); err != nil {
		return err
	}
	return tx.Commit()
}
