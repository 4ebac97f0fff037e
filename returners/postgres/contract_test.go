package postgres

import (
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestContract_Text(t *testing.T) {
	s := server(t)
	empty := func(t *testing.T) returners.Returner { return open(t, s, s.Database(t), as(Text)) }
	returnertest.Run(t, empty)
	returnertest.RunShared(t, empty)
}

func TestContract_JSONB(t *testing.T) {
	s := server(t)
	empty := func(t *testing.T) returners.Returner { return open(t, s, s.Database(t), as(JSONB)) }
	returnertest.RunUnordered(t, empty)
	returnertest.RunShared(t, empty)
}

func TestTables(t *testing.T) {
	s := server(t)
	returnertest.RunSQL(t, returnertest.SQL{
		Server: s,
		Open: func(t *testing.T, database string, c returnertest.SQLOptions) returnertest.SQLStore {
			return open(t, s, database, func(o *Options) { o.ArchiveJobs, o.Now = c.ArchiveJobs, c.Now })
		},
		Embedded: embedded,
		Large:    5 << 20,
		TooLong:  "22001",
		OldTime:  "CURRENT_TIMESTAMP - INTERVAL '25 hours'",
	})
}
