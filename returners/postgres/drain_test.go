package postgres

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/postgres/pgtest"
	"github.com/momtree/mom/returners/returnertest"
	"github.com/momtree/mom/returners/sqlite"
)

func embedded(t *testing.T) returners.JobStore {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "jobs.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestDrain(t *testing.T) {
	s := pgtest.Start(t, pgtest.Config{})
	returnertest.RunDrain(t, s, embedded(t), open(t, s, s.Database(t), func(o *Options) { o.ConnectTimeout = time.Minute }))
}
