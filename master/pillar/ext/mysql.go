package ext

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/returners/mysql"
	"github.com/momtree/mom/value"
)

// maxRows limits the rows of one query.
const maxRows = 200_000

func init() {
	Register(Source{
		Name: "mysql", Load: loadMySQL,
		Check: checkQueries,
		Doc: `
What queries of MySQL or MariaDB give. The options mysql.host, mysql.user, mysql.pass,
mysql.db, mysql.port and mysql.ssl_* say where; %s in a query is the id of the minion, %%
a per cent sign. A query is a text, a list [query, depth], or a mapping; under a name its
result is put under that key. A database that is away is an error.

query
    The columns of a row are the keys, the last one is the value: a, b, c is {a: {b: c}}.
depth
    How many columns are keys; the others are put under their names then.
as_list
    Values of the same key become a list, instead of the last one counting.
with_lists
    Numbers of columns, from 1, whose keys become a list.
as_json
    One column of JSON, each row a mapping.
ignore_null
    A value that is NULL replaces nothing.

    ext_pillar:
      - mysql:
          - query: SELECT pillar, value FROM pillars WHERE minion_id LIKE %s
            depth: 2
            as_list: True
`,
	})
}

var mysqlDialect = dialect{mark: func(int) string { return "?" }}

func loadMySQL(ctx context.Context, c *Call) (*value.Map, error) {
	o, err := mysql.OptionsFrom(c.Config.Raw, "")
	if err != nil {
		return nil, err
	}
	if _, flat := c.Config.Raw["mysql.host"]; !flat {
		if m, ok := c.Config.Raw["mysql"].(map[string]any); !ok || m["host"] == nil {
			o.Host = "localhost" // Salt has a different default here than for its job cache
		}
	}
	o.Log = c.Log
	conn, err := mysql.Connector(o)
	if err != nil {
		return nil, err
	}
	return ask(ctx, conn, mysqlDialect, c)
}

// checkQueries checks the arguments of an entry.
func checkQueries(conf any) error {
	qs, err := queries(conf)
	for _, q := range qs {
		if _, _, err := q.place(mysqlDialect); err != nil {
			return err
		}
	}
	return err
}

// ask runs the queries of an entry and returns the pillar of their rows.
func ask(ctx context.Context, conn driver.Connector, d dialect, c *Call) (*value.Map, error) {
	qs, err := queries(c.Conf)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(conn)
	defer db.Close()
	db.SetMaxOpenConns(1)
	out := value.NewMap()
	for _, q := range qs {
		focus := out
		if q.root != "" {
			focus = value.NewMap()
			out.Set(q.root, focus)
		}
		if err := askOne(ctx, db, q, d, c.ID, focus); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func askOne(ctx context.Context, db *sql.DB, q query, d dialect, id string, focus *value.Map) error {
	text, n, err := q.place(d)
	if err != nil {
		return err
	}
	ids := make([]any, n)
	for i := range ids {
		ids[i] = id
	}
	rows, err := db.QueryContext(ctx, text, ids...)
	if err != nil {
		return fmt.Errorf("query %q: %w", q.text, err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return fmt.Errorf("query %q: %w", q.text, err)
	}
	fields := make([]string, len(types))
	for i, t := range types {
		fields[i] = t.Name()
	}
	s := newShaper(q, fields, focus)
	for count := 0; rows.Next(); count++ {
		if count == maxRows {
			return fmt.Errorf("query %q gives more than %d rows", q.text, maxRows)
		}
		row := make([]any, len(fields))
		into := make([]any, len(fields))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("query %q: %w", q.text, err)
		}
		for i := range row {
			row[i], err = column(row[i], q.asJSON && len(row) == 1 || d.json && strings.HasPrefix(types[i].DatabaseTypeName(), "JSON"))
			if err != nil {
				return fmt.Errorf("query %q: %w", q.text, err)
			}
		}
		if err := s.row(row); err != nil {
			return fmt.Errorf("query %q: %w", q.text, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("query %q: %w", q.text, err)
	}
	s.end()
	return nil
}

// column converts a database value to a pillar value.
func column(v any, json bool) (any, error) {
	switch x := v.(type) {
	case []byte:
		v = string(x)
	case time.Time:
		v = x.Format("2006-01-02 15:04:05")
	case int32:
		v = int64(x)
	case float32:
		v = float64(x)
	}
	if text, ok := v.(string); ok && json {
		return readJSON([]byte(text))
	}
	return v, nil
}
