package mysqltest

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/momtree/mom/returners/returnertest"
)

// Start is New for one test: the server ends with it.
func Start(tb testing.TB, options ...string) *Server {
	tb.Helper()
	s, err := New(options...)
	return returnertest.Own(tb, s, err)
}

// Database creates an empty database as in Salt's manual (utf8 with three bytes per
// character) and returns its name.
func (s *Server) Database(tb testing.TB) string {
	tb.Helper()
	name := fmt.Sprintf("t%d", s.next.Add(1))
	s.Exec(tb, "", "CREATE DATABASE `"+name+"` DEFAULT CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci")
	return name
}

// Open connects to a database as root until the test ends.
func (s *Server) Open(tb testing.TB, database string) *sql.DB {
	tb.Helper()
	db, err := s.Root(database)
	return returnertest.Connection(tb, db, err)
}

// Exec runs statements as root.
func (s *Server) Exec(tb testing.TB, database, statements string, args ...any) {
	tb.Helper()
	returnertest.Exec(tb, s.Root, database, statements, args...)
}
