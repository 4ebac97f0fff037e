package mysql

import (
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/returners/mysql/mysqltest"
)

// shared is the server of all tests that do not stop it.
var shared = sync.OnceValues(func() (*mysqltest.Server, error) {
	s, err := mysqltest.New()
	if err == nil {
		started = s
	}
	return s, err
})

var started *mysqltest.Server

func TestMain(m *testing.M) {
	code := m.Run()
	if started != nil {
		if err := started.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, "remove MariaDB:", err)
			code = 1
		}
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func server(tb testing.TB) *mysqltest.Server {
	tb.Helper()
	s, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

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
