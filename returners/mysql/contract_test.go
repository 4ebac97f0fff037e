package mysql

import (
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestContract(t *testing.T) {
	s := server(t)
	empty := func(t *testing.T) returners.Returner { return open(t, s, s.Database(t)) }
	returnertest.Run(t, empty)
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
		Large:    20 << 20, // max_allowed_packet is 64 MB; return and full_ret are 20 MB each
		TooLong:  "1406",
		OldTime:  "CURRENT_TIMESTAMP - INTERVAL 25 HOUR",
	})
}
