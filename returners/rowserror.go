package returners

import "fmt"

// RowsError reports a batch that was not stored as a whole: the outcome of each of its rows.
type RowsError struct {
	// Rows holds the outcome of each row, in the order of the batch. nil: it is stored.
	// [ErrRejected] or [ErrInvalid]: a retry will not help. Others: it has to be sent again.
	Rows []error
}

// RowsResult returns nil if all rows are stored, otherwise a [*RowsError].
func RowsResult(rows []error) error {
	for _, err := range rows {
		if err != nil {
			return &RowsError{Rows: rows}
		}
	}
	return nil
}

// Error returns the number of rows that are not stored, with the reason of one of them.
func (e *RowsError) Error() string {
	n := 0
	for _, err := range e.Rows {
		if err != nil {
			n++
		}
	}
	return fmt.Sprintf("%d of %d rows not stored: %v", n, len(e.Rows), e.cause())
}

// Unwrap returns the reason for the first row that has to be sent again; without one, that of the
// first rejected row.
func (e *RowsError) Unwrap() error { return e.cause() }

func (e *RowsError) cause() (first error) {
	for _, err := range e.Rows {
		if err != nil && !permanent(err) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}
