package redis

import (
	"fmt"
	"log/slog"
	"testing"

	driver "github.com/redis/go-redis/v9"

	"github.com/momtree/mom/returners/redis/redistest"
	"github.com/momtree/mom/returners/returnertest"
)

// shared is the server of all tests that do not stop it.
var shared = returnertest.Shared[*redistest.Server]{New: func() (*redistest.Server, error) { return redistest.New() }}

func TestMain(m *testing.M) { shared.Main(m) }

// empty returns the shared server without any key.
func empty(tb testing.TB) *redistest.Server {
	tb.Helper()
	s := shared.Get(tb)
	flush(tb, s)
	return s
}

// cluster starts a cluster until the test ends.
func cluster(t *testing.T) *redistest.Server {
	t.Helper()
	s, err := redistest.NewCluster()
	return returnertest.Own(t, s, err)
}

func flush(tb testing.TB, s *redistest.Server) {
	tb.Helper()
	if err := raw(tb, s).FlushAll(tb.Context()).Err(); err != nil {
		tb.Fatal(err)
	}
}

// raw returns a client of the server until the test ends.
func raw(tb testing.TB, s *redistest.Server) *driver.Client {
	tb.Helper()
	c := s.Client()
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return c
}

// open opens a store on database 0 of a server.
func open(tb testing.TB, s *redistest.Server, change ...func(*Options)) *Store {
	tb.Helper()
	o := Options{Socket: s.Socket, Keep: defaultKeep, Log: slog.New(slog.DiscardHandler)}
	if s.Socket == "" {
		o.Nodes = []string{fmt.Sprintf("127.0.0.1:%d", s.Port)}
	}
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
