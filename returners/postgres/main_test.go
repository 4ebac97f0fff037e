package postgres

import (
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/returners/postgres/pgtest"
)

// shared is the server of all tests that do not stop it.
var shared = sync.OnceValues(func() (*pgtest.Server, error) {
	s, err := pgtest.New(pgtest.Config{})
	if err == nil {
		started = s
	}
	return s, err
})

var started *pgtest.Server

func TestMain(m *testing.M) {
	code := m.Run()
	if started != nil {
		if err := started.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, "remove PostgreSQL:", err)
			code = 1
		}
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func server(tb testing.TB) *pgtest.Server {
	tb.Helper()
	s, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

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

func count(t *testing.T, db *sql.DB, query string, args ...any) (n int64) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
