package returners

import (
	"context"
	"errors"
	"fmt"
)

// Classes of failures of a database or broker, for metrics and logs.
const (
	ClassConnection = "connection" // it is away, busy, slow or read-only
	ClassContention = "contention" // deadlock, lock wait, serialization failure: try again
	ClassAccess     = "access"     // account, rights, or the place does not exist
	ClassSchema     = "schema"     // a table, column or shared key is not as expected
	ClassFull       = "full"       // no space
	ClassDuplicate  = "duplicate"  // the row exists
	ClassData       = "data"       // this row is refused
	ClassOther      = "other"
)

// Fault is a classified failure of a database or broker. It unwraps to its cause and to a sentinel: [ErrUnavailable] or
// [ErrFull] if a retry may help, [ErrRejected] if not.
type Fault struct {
	Returner string // its name
	Where    string // the server, without passwords
	Doing    string
	Class    string // one of the Class constants
	Advice   string // what the operator can do; "" if nothing is known
	Text     string // what is printed of the cause; "": all of it
	Err      error  // the cause
}

func (f *Fault) Error() string {
	text := f.Text
	if text == "" {
		text = f.Err.Error()
	}
	text = fmt.Sprintf("%s %s: %s: %s", f.Returner, f.Where, f.Doing, text)
	if f.Advice != "" {
		text += "; " + f.Advice
	}
	return text
}

// Unwrap returns the sentinel and the cause.
func (f *Fault) Unwrap() []error {
	switch f.Class {
	case ClassConnection, ClassContention, ClassAccess, ClassSchema:
		return []error{ErrUnavailable, f.Err}
	case ClassFull:
		return []error{ErrFull, f.Err}
	case ClassData:
		return []error{ErrRejected, f.Err}
	}
	return []error{f.Err}
}

// Class returns the class under which an error is counted: that of a [Fault], else the name of the sentinel it wraps.
func Class(err error) string {
	var f *Fault
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f):
		return f.Class
	case errors.Is(err, ErrRejected), errors.Is(err, ErrInvalid):
		return "rejected"
	case errors.Is(err, ErrUnavailable):
		return "unavailable"
	case errors.Is(err, ErrFull):
		return ClassFull
	case errors.Is(err, ErrCorrupt):
		return "corrupt"
	case errors.Is(err, ErrClosed):
		return "closed"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return ClassOther
}
