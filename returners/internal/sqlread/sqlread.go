package sqlread

import (
	"context"
	"database/sql"
	"errors"
)

// Scan copies the columns of one row, as [sql.Rows.Scan] does.
type Scan = func(dest ...any) error

// ErrEnough is what a visitor returns to end a reading that has not failed.
var ErrEnough = errors.New("enough rows")

// Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each visits the rows that a database or a transaction gives for a query, up to
// the first error.
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

// Append is a visitor that adds what read makes of each row to a list.
func Append[T any](list *[]T, read func(Scan) (T, error)) func(Scan) error {
	return func(scan Scan) error {
		v, err := read(scan)
		if err == nil {
			*list = append(*list, v)
		}
		return err
	}
}

// Column reads a row of one column.
func Column[T any](scan Scan) (v T, err error) {
	err = scan(&v)
	return v, err
}
