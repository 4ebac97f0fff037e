package postgres

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// Classes of failures, as counted by returners.DrainStats.
const (
	ClassDuplicate  = sqlrows.ClassDuplicate  // 23505 alone: the row exists
	ClassContention = sqlrows.ClassContention // deadlock, lock wait, serialization failure: try again
	ClassConnection = sqlrows.ClassConnection // the server is away, busy or read-only
	ClassAccess     = "access"                // account, rights or database name
	ClassFull       = "full"                  // no space
	ClassSchema     = "schema"                // a table or column differs from the schema
	ClassData       = "data"                  // the server refuses this row
	ClassOther      = "other"
)

// classes maps SQLSTATEs, and their first two characters. The longer entry has precedence.
// Other codes are of ClassOther.
var classes = map[string]string{
	"23505": ClassDuplicate,

	"40": ClassContention, "55P03": ClassContention,

	"08": ClassConnection, "57": ClassConnection, // shutting down, starting, cancelled
	"25006": ClassConnection, // read-only
	"53300": ClassConnection, "53400": ClassConnection,

	"28": ClassAccess, "3D000": ClassAccess, "3F000": ClassAccess, "42501": ClassAccess,

	"53": ClassFull, "58030": ClassFull, // disk, memory; input and output

	"0A000": ClassSchema, "42": ClassSchema, "23502": ClassSchema, // a column of the user that has no default

	"21": ClassData, "22": ClassData, "23": ClassData, "44": ClassData, "54": ClassData, "P0001": ClassData,
}

// errSilent: the server has not sent anything in time.
var errSilent = errors.New("no answer")

func classOf(err error) string {
	var pe *pgconn.PgError
	var ce *pgconn.ConnectError
	var ne net.Error
	switch {
	case errors.As(err, &pe):
		if c, ok := classes[pe.Code]; ok {
			return c
		}
		if len(pe.Code) == 5 {
			if c, ok := classes[pe.Code[:2]]; ok {
				return c
			}
		}
		return ClassOther
	case errors.As(err, &ce), errors.Is(err, errSilent), errors.Is(err, sqldriver.ErrBadConn), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &ne), pgconn.SafeToRetry(err):
		return ClassConnection
	}
	return ClassOther
}

// Fault is a classified failure of the database. It unwraps to the driver's error and to a
// sentinel: returners.ErrUnavailable or ErrFull if a retry may help, ErrRejected if not.
type Fault struct {
	class string
	doing string
	o     *Options
	err   error
}

// Class returns one of the Class constants.
func (f *Fault) Class() string { return f.class }

func (f *Fault) Error() string {
	text := strings.ReplaceAll(f.err.Error(), "\n\t", " ") // one line also for several hosts
	var pe *pgconn.PgError
	if errors.As(f.err, &pe) && pe.Detail != "" && f.class != ClassData && f.class != ClassDuplicate { // the detail of a row holds its values
		text += ", " + pe.Detail
	}
	return fmt.Sprintf("%s %s: %s: %s%s", f.o.Returner, f.o.where(), f.doing, text, f.advice())
}

func (f *Fault) advice() string {
	switch f.class {
	case ClassConnection:
		return "; check that the server runs, takes connections from here and is writable"
	case ClassAccess:
		return fmt.Sprintf("; check %s, %s and %s and pg_hba.conf, and grant CREATE on the schema and SELECT, INSERT, UPDATE and DELETE on its tables; "+
			"tables that have to be changed must belong to the account", f.o.form.option("user"), f.o.form.option(f.o.form.pass), f.o.form.option("db"))
	case ClassFull:
		return "; free space on the database server"
	case ClassSchema:
		return "; the tables are not as this version needs them, compare them with SCHEMA.md and start again"
	case ClassData:
		return "; the row is refused as it is"
	case ClassContention:
		return "; other writers held the rows too long"
	}
	return ""
}

// Unwrap returns the sentinel and the cause.
func (f *Fault) Unwrap() []error {
	switch f.class {
	case ClassConnection, ClassContention, ClassAccess, ClassSchema:
		return []error{returners.ErrUnavailable, f.err}
	case ClassFull:
		return []error{returners.ErrFull, f.err}
	case ClassData:
		return []error{returners.ErrRejected, f.err}
	}
	return []error{f.err}
}

// fault classifies an error. It returns classified errors unchanged, and those of a context
// that has ended with what was done.
func (s *Store) fault(ctx context.Context, doing string, err error) error {
	var f *Fault
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, returners.ErrClosed), errors.Is(err, returners.ErrNewerSchema):
		return err
	case s.closing.Load():
		return fmt.Errorf("%s %s: %s: %w: %w", s.o.Returner, s.o.where(), doing, returners.ErrClosed, err)
	case ctx.Err() != nil:
		return fmt.Errorf("%s %s: %s: %w", s.o.Returner, s.o.where(), doing, ctx.Err())
	}
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.Code == "25006" {
		s.dropIdle()
	}
	return &Fault{class: classOf(err), doing: doing, o: &s.o, err: err}
}

// refuse returns the error of a row that cannot be written as JSON.
func (s *Store) refuse(what string, err error) error {
	return &Fault{class: ClassData, doing: "write the " + what + " as JSON", o: &s.o, err: err}
}
