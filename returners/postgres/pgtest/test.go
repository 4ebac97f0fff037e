package pgtest

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/momtree/mom/returners/returnertest"
)

// Start is New for one test: the server ends with it.
func Start(tb testing.TB, c Config) *Server {
	tb.Helper()
	s, err := New(c)
	return returnertest.Own(tb, s, err)
}

// Database creates an empty database and returns its name. Texts are ordered as in a
// dictionary, where the server can do that (from version 15), and not by their bytes.
func (s *Server) Database(tb testing.TB) string {
	tb.Helper()
	name := fmt.Sprintf("t%d", s.next.Add(1))
	db := s.Open(tb, "postgres")
	var dictionary bool
	err := db.QueryRowContext(tb.Context(), "SELECT current_setting('server_version_num')::int >= 150000 AND EXISTS (SELECT 1 FROM pg_collation WHERE collprovider = 'i')").Scan(&dictionary)
	if err != nil {
		tb.Fatal(err)
	}
	how := ""
	if dictionary {
		how = " LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
	}
	if _, err := db.ExecContext(tb.Context(), "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'"+how); err != nil {
		tb.Fatal(err)
	}
	return name
}

// Open connects to a database as postgres until the test ends.
func (s *Server) Open(tb testing.TB, database string) *sql.DB {
	tb.Helper()
	db, err := s.Root(database)
	return returnertest.Connection(tb, db, err)
}

// Exec runs statements as postgres. Several statements have no arguments.
func (s *Server) Exec(tb testing.TB, database, statements string, args ...any) {
	tb.Helper()
	returnertest.Exec(tb, s.Root, database, statements, args...)
}
