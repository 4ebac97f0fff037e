package mysql

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// Classes of failures, as counted by returners.DrainStats.
const (
	ClassDuplicate  = sqlrows.ClassDuplicate  // 1062 alone: the row exists
	ClassContention = sqlrows.ClassContention // deadlock, lock wait, write conflict: try again
	ClassConnection = sqlrows.ClassConnection // the server is away, busy or read-only
	ClassAccess     = "access"                // account, rights or database name
	ClassFull       = "full"                  // no space
	ClassSchema     = "schema"                // a table or column differs from the schema
	ClassData       = "data"                  // the server refuses this row
	ClassOther      = "other"
)

// classes maps error numbers of MySQL, MariaDB, TiDB (8000 and above) and Galera. Other
// numbers are of ClassOther.
var classes = map[uint16]string{
	1062: ClassDuplicate,

	1213: ClassContention, 1205: ClassContention, 1020: ClassContention, // deadlock or lost certification, lock wait, record changed
	1180: ClassContention, 3101: ClassContention, 1412: ClassContention, // refused at COMMIT (Galera, group replication), table changed meanwhile
	1615: ClassContention, 1243: ClassContention, // prepare again; statement unknown (behind a proxy)
	8002: ClassContention, 8022: ClassContention, 8028: ClassContention, 9007: ClassContention, // TiDB conflicts

	1040: ClassConnection, 1203: ClassConnection, 1226: ClassConnection, // too many connections
	1053: ClassConnection, 1077: ClassConnection, 1079: ClassConnection, 1152: ClassConnection, 1317: ClassConnection, // shutting down, killed
	1047: ClassConnection, 1158: ClassConnection, 1159: ClassConnection, 1160: ClassConnection, 1161: ClassConnection, 1927: ClassConnection, // node not ready, network
	1290: ClassConnection, 1792: ClassConnection, 1836: ClassConnection, 3100: ClassConnection, // read-only, refused by replication
	9001: ClassConnection, 9002: ClassConnection, 9003: ClassConnection, 9005: ClassConnection, // TiDB's stores

	1044: ClassAccess, 1045: ClassAccess, 1049: ClassAccess, 1142: ClassAccess, 1143: ClassAccess, 1227: ClassAccess,
	1698: ClassAccess, 1820: ClassAccess, 3118: ClassAccess, 4151: ClassAccess,

	1021: ClassFull, 1030: ClassFull, 1037: ClassFull, 1041: ClassFull, 1114: ClassFull,

	1054: ClassSchema, 1146: ClassSchema, 1136: ClassSchema, 1364: ClassSchema,

	1406: ClassData, 1366: ClassData, 1264: ClassData, 1265: ClassData, 1292: ClassData, 1048: ClassData, 1118: ClassData,
	1153: ClassData, 1300: ClassData, 1301: ClassData, 1452: ClassData, 1644: ClassData, 3140: ClassData, 3819: ClassData,
	3854: ClassData, 3988: ClassData, 4025: ClassData,
}

func classOf(err error) string {
	var me *driver.MySQLError
	var ne net.Error
	switch {
	case errors.As(err, &me):
		if me.Number == 1180 && strings.Contains(me.Message, "provider status") {
			return ClassConnection // a Galera node lost its cluster at COMMIT
		}
		if c, ok := classes[me.Number]; ok {
			return c
		}
		// MariaDB has no error number for an oversized value of a prepared statement.
		if me.Number == 1105 && strings.Contains(me.Message, "max_allowed_packet") {
			return ClassData
		}
		return ClassOther
	case errors.Is(err, driver.ErrPktTooLarge):
		return ClassData
	case errors.Is(err, driver.ErrInvalidConn), errors.Is(err, sqldriver.ErrBadConn), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &ne):
		return ClassConnection
	}
	return ClassOther
}

// Fault is a classified failure of the database. It unwraps to the driver's error and to a
// sentinel: returners.ErrUnavailable or ErrFull if a retry may help, ErrRejected if not.
type Fault struct {
	class string
	doing string
	where string
	err   error
}

// Class returns one of the Class constants.
func (f *Fault) Class() string { return f.class }

func (f *Fault) Error() string {
	return fmt.Sprintf("mysql %s: %s: %v%s", f.where, f.doing, f.err, advice[f.class])
}

var advice = map[string]string{
	ClassConnection: "; check that the server runs, takes connections from here and is writable",
	ClassAccess:     "; check mysql.user, mysql.pass and mysql.db, and grant SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER and INDEX on the database",
	ClassFull:       "; free space on the database server",
	ClassSchema:     "; the tables are not as this version needs them, start again so that they are brought up to date",
	ClassData:       "; the row is refused as it is (for a large one raise max_allowed_packet on the server)",
	ClassContention: "; other writers held the rows too long",
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

// fault classifies an error. It returns classified errors and errors of a context
// unchanged.
func (s *Store) fault(doing string, err error) error {
	var f *Fault
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, returners.ErrClosed), errors.Is(err, returners.ErrNewerSchema):
		return err
	case s.closing.Load():
		return fmt.Errorf("mysql %s: %s: %w: %w", s.o.where(), doing, returners.ErrClosed, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("mysql %s: %s: %w", s.o.where(), doing, err)
	}
	return &Fault{class: classOf(err), doing: doing, where: s.o.where(), err: err}
}
