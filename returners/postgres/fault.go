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

// classes maps SQLSTATEs, and their first two characters, to classes. The longer entry has precedence. Others are of
// [returners.ClassOther].
var classes = sqlrows.ByCode(map[string][]string{
	returners.ClassDuplicate:  {"23505"},
	returners.ClassContention: {"40", "55P03"},
	returners.ClassConnection: {
		"08", "57", // shutting down, starting, cancelled
		"25006", // read-only
		"53300", "53400",
	},
	returners.ClassAccess: {"28", "3D000", "3F000", "42501"},
	returners.ClassFull:   {"53", "58030"}, // disk, memory; input and output
	returners.ClassSchema: {
		"0A000", "42",
		"23502", // a column of the user that has no default
	},
	returners.ClassData: {"21", "22", "23", "44", "54", "P0001"},
})

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
		return returners.ClassOther
	case errors.As(err, &ce), errors.Is(err, errSilent), errors.Is(err, sqldriver.ErrBadConn), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &ne), pgconn.SafeToRetry(err):
		return returners.ClassConnection
	}
	return returners.ClassOther
}

// advice returns what the operator can do about a class of failures.
func (o *Options) advice(class string) string {
	switch class {
	case returners.ClassConnection:
		return "check that the server runs, takes connections from here and is writable"
	case returners.ClassAccess:
		return fmt.Sprintf("check %s, %s and %s and pg_hba.conf, and grant CREATE on the schema and SELECT, INSERT, UPDATE and DELETE on its tables; "+
			"tables that have to be changed must belong to the account", o.form.option("user"), o.form.option(o.form.pass), o.form.option("db"))
	case returners.ClassFull:
		return "free space on the database server"
	case returners.ClassSchema:
		return "the tables are not as this version needs them, compare them with SCHEMA.md and start again"
	case returners.ClassData:
		return "the row is refused as it is"
	case returners.ClassContention:
		return "other writers held the rows too long"
	}
	return ""
}

// failure returns a classified failure.
func (o *Options) failure(class, doing string, err error) error {
	text := strings.ReplaceAll(err.Error(), "\n\t", " ") // one line also for several hosts
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.Detail != "" && class != returners.ClassData && class != returners.ClassDuplicate { // the detail of a row holds its values
		text += ", " + pe.Detail
	}
	return &returners.Fault{Returner: o.Returner, Where: o.where(), Doing: doing, Class: class, Advice: o.advice(class), Text: text, Err: err}
}

// fault classifies an error. It returns classified errors unchanged, and those of a context
// that has ended with what was done.
func (s *Store) fault(ctx context.Context, doing string, err error) error {
	var f *returners.Fault
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
	return s.o.failure(classOf(err), doing, err)
}

// refuse returns the error of a row that cannot be written as JSON.
func (s *Store) refuse(what string, err error) error {
	return s.o.failure(returners.ClassData, "write the "+what+" as JSON", err)
}
