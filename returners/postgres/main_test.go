package postgres

import (
	"log/slog"
	"testing"
	"time"

	"github.com/momtree/mom/returners/postgres/pgtest"
	"github.com/momtree/mom/returners/returnertest"
)

// shared is the server of all tests that do not stop it.
var shared = returnertest.Shared[*pgtest.Server]{New: func() (*pgtest.Server, error) { return pgtest.New(pgtest.Config{}) }}

func TestMain(m *testing.M) { shared.Main(m) }

func server(tb testing.TB) *pgtest.Server { return shared.Get(tb) }

// open opens a store on a database, as its superuser.
func open(tb testing.TB, s *pgtest.Server, database string, change ...func(*Options)) *Store {
	tb.Helper()
	o := Options{Host: s.Dir, Port: s.Port, User: "postgres", DB: database, Timeout: 5 * time.Minute, Log: slog.New(slog.DiscardHandler)}
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

// as selects a returner.
func as(returner string) func(*Options) { return func(o *Options) { o.Returner = returner } }
