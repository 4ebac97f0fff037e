package ext

import (
	"context"
	"strconv"

	"github.com/momtree/mom/returners/postgres"
	"github.com/momtree/mom/value"
)

func init() {
	Register(Source{
		Name: "postgres", Load: loadPostgres, Check: checkQueries,
		Doc: `
What queries of PostgreSQL give. The option postgres says where, a mapping of host, port, user,
pass and db, and of sslmode, sslrootcert, sslcert, sslkey and sslcrl for TLS. Queries and their
arguments are those of the source mysql. A column of JSON is a value, and of an array a text.

    postgres: {host: db.example.org, user: reader, pass: secret, db: site, sslmode: verify-full}
    ext_pillar:
      - postgres:
          of_site:
            query: SELECT pillar, value FROM pillars WHERE minion_id LIKE %s
            depth: 2
            as_list: True
`,
	})
}

var postgresDialect = dialect{mark: func(n int) string { return "$" + strconv.Itoa(n) }, json: true}

func loadPostgres(ctx context.Context, c *Call) (*value.Map, error) {
	o, err := postgres.PillarOptions(c.Config.Raw)
	if err != nil {
		return nil, err
	}
	o.Log = c.Log
	conn, err := postgres.Connector(o)
	if err != nil {
		return nil, err
	}
	return ask(ctx, conn, postgresDialect, c)
}
