package sqlrows

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// Statements splits a script at the semicolons that end a line. Statements below a line "-- only NAME" are for the
// returner of that name.
func Statements(script, returner string) (out []string) {
	for part := range strings.SplitSeq(script, ";\n") {
		var lines []string
		only := ""
		for line := range strings.SplitSeq(part, "\n") {
			if name, ok := strings.CutPrefix(line, "-- only "); ok {
				only = name
			}
			if l := strings.TrimSpace(line); l != "" && !strings.HasPrefix(l, "--") {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 && (only == "" || only == returner) {
			out = append(out, strings.Join(lines, "\n"))
		}
	}
	return out
}

// First returns the beginning of a statement, for messages.
func First(statement string) string {
	const most = 200
	if len(statement) <= most {
		return statement
	}
	return statement[:most] + "…"
}

// Tx runs f in a transaction.
func Tx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return Undo(tx, err)
	}
	return tx.Commit()
}

// Undo ends a transaction after an error, unless it has ended. It returns the error.
func Undo(tx *sql.Tx, because error) error {
	if err := tx.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return errors.Join(because, err)
	}
	return because
}

// ByCode returns the class of each error code, from the codes of each class.
func ByCode[K comparable](codes map[string][]K) map[K]string {
	classes := map[K]string{}
	for class, all := range codes {
		for _, code := range all {
			classes[code] = class
		}
	}
	return classes
}
