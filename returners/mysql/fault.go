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

// classes maps error numbers of MySQL, MariaDB, TiDB (8000 and above) and Galera to classes. Others are of
// [returners.ClassOther].
var classes = sqlrows.ByCode(map[string][]uint16{
	returners.ClassDuplicate: {1062},
	returners.ClassContention: {
		1213, 1205, 1020, // deadlock or lost certification, lock wait, record changed
		1180, 3101, 1412, // refused at COMMIT (Galera, group replication), table changed meanwhile
		1615, 1243, // prepare again; statement unknown (behind a proxy)
		8002, 8022, 8028, 9007, // TiDB conflicts
	},
	returners.ClassConnection: {
		1040, 1203, 1226, // too many connections
		1053, 1077, 1079, 1152, 1317, // shutting down, killed
		1047, 1158, 1159, 1160, 1161, 1927, // node not ready, network
		1290, 1792, 1836, 3100, // read-only, refused by replication
		9001, 9002, 9003, 9005, // TiDB's stores
	},
	returners.ClassAccess: {1044, 1045, 1049, 1142, 1143, 1227, 1698, 1820, 3118, 4151},
	returners.ClassFull:   {1021, 1030, 1037, 1041, 1114},
	returners.ClassSchema: {1054, 1146, 1136, 1364},
	returners.ClassData:   {1406, 1366, 1264, 1265, 1292, 1048, 1118, 1153, 1300, 1301, 1452, 1644, 3140, 3819, 3854, 3988, 4025},
})

func classOf(err error) string {
	var me *driver.MySQLError
	var ne net.Error
	switch {
	case errors.As(err, &me):
		if me.Number == 1180 && strings.Contains(me.Message, "provider status") {
			return returners.ClassConnection // a Galera node lost its cluster at COMMIT
		}
		if c, ok := classes[me.Number]; ok {
			return c
		}
		// MariaDB has no error number for an oversized value of a prepared statement.
		if me.Number == 1105 && strings.Contains(me.Message, "max_allowed_packet") {
			return returners.ClassData
		}
		return returners.ClassOther
	case errors.Is(err, driver.ErrPktTooLarge):
		return returners.ClassData
	case errors.Is(err, driver.ErrInvalidConn), errors.Is(err, sqldriver.ErrBadConn), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &ne):
		return returners.ClassConnection
	}
	return returners.ClassOther
}

var advice = map[string]string{
	returners.ClassConnection: "check that the server runs, takes connections from here and is writable",
	returners.ClassAccess:     "check mysql.user, mysql.pass and mysql.db, and grant SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER and INDEX on the database",
	returners.ClassFull:       "free space on the database server",
	returners.ClassSchema:     "the tables are not as this version needs them, start again so that they are brought up to date",
	returners.ClassData:       "the row is refused as it is (for a large one raise max_allowed_packet on the server)",
	returners.ClassContention: "other writers held the rows too long",
}

// fault classifies an error. It returns classified errors and errors of a context
// unchanged.
func (s *Store) fault(doing string, err error) error {
	var f *returners.Fault
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, returners.ErrClosed), errors.Is(err, returners.ErrNewerSchema):
		return err
	case s.closing.Load():
		return fmt.Errorf("mysql %s: %s: %w: %w", s.o.where(), doing, returners.ErrClosed, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("mysql %s: %s: %w", s.o.where(), doing, err)
	}
	return s.failure(classOf(err), doing, err)
}

// failure returns a classified failure.
func (s *Store) failure(class, doing string, err error) error {
	return &returners.Fault{Returner: Name, Where: s.o.where(), Doing: doing, Class: class, Advice: advice[class], Err: err}
}

// refuse returns the error of a row that cannot be written as JSON.
func (s *Store) refuse(what string, err error) error {
	return s.failure(returners.ClassData, "write the "+what+" as JSON", err)
}
