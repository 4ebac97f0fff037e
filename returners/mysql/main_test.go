package mysql

import (
	"log/slog"
	"testing"

	"github.com/momtree/mom/returners/mysql/mysqltest"
	"github.com/momtree/mom/returners/returnertest"
)

// shared is the server of all tests that do not stop it.
var shared = returnertest.Shared[*mysqltest.Server]{New: func() (*mysqltest.Server, error) { return mysqltest.New() }}

func TestMain(m *testing.M) { shared.Main(m) }

func server(tb testing.TB) *mysqltest.Server { return shared.Get(tb) }

// open opens a store on a database.
func open(tb testing.TB, s *mysqltest.Server, database string, change ...func(*Options)) *Store {
	tb.Helper()
	o := Options{UnixSocket: s.Socket, User: "root", DB: database, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	st, err := Open(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := st.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return st
}
