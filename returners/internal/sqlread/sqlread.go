package sqlread

import (
	"context"
	"database/sql"
	"errors"
)

// Scan copies the columns of one row, as [sql.Rows.Scan] does.
type Scan = func(dest ...any) error

// ErrEnough is returned by a visitor to stop reading without an error.
var ErrEnough = errors.New("enough rows")

// Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each visits the rows of a query, up to the first error.
func Each(ctx context.Context, db Querier, visit func(Scan) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows.Scan); errors.Is(err, ErrEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return rows.Err()
}

// Append returns a visitor that appends the result of read for each row to a list.
func Append[T any](list *[]T, read func(Scan) (T, error)) func(Scan) error {
	return func(scan Scan) error {
		v, err := read(scan)
		if err == nil {
			*list = append(*list, v)
		}
		return err
	}
}

// Column reads a row with one column.
func Column[T any](scan Scan) (v T, err error) {
	err = scan(&v)
	return v, err
}

// One reads a single row; ok is false if the query returns no row.
func One(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, dest []any, query string, args ...any,
) (ok bool, err error) {
	err = db.QueryRowContext(ctx, query, args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
