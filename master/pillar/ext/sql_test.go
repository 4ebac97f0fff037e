package ext

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"testing"

	"modernc.org/sqlite"

	"github.com/momtree/mom/value"
)

// lite is a test database.
type lite struct{ path string }

func (l lite) Connect(context.Context) (driver.Conn, error) { return (&sqlite.Driver{}).Open(l.path) }
func (l lite) Driver() driver.Driver                        { return &sqlite.Driver{} }

// Rows become the pillar of Salt's sql_base.
func TestQueries(t *testing.T) {
	const rows = "SELECT * FROM (VALUES ('a','b',1), ('a','c',2), ('a','b',3), ('z','b',NULL)) WHERE %s = 'm1'"
	for name, c := range map[string]struct {
		conf any
		want string
	}{
		"pairs":     {[]any{rows}, `{"a": {"b": 3, "c": 2}, "z": {"b": null}}`},
		"a list":    {[]any{value.NewMap("query", rows, "as_list", true)}, `{"a": {"b": [1, 3], "c": 2}, "z": {"b": null}}`},
		"depth 1":   {[]any{[]any{rows, int64(1)}}, `{"a": {"column2": "b", "column3": 3}, "z": {"column2": "b", "column3": null}}`},
		"no NULL":   {[]any{value.NewMap("query", rows, "ignore_null", true)}, `{"a": {"b": 3, "c": 2}, "z": {}}`},
		"a name":    {value.NewMap("db", rows), `{"db": {"a": {"b": 3, "c": 2}, "z": {"b": null}}}`},
		"the lists": {[]any{value.NewMap("query", rows, "with_lists", "1")}, `{"a": [3, 2], "z": [null]}`},
		"JSON":      {[]any{value.NewMap("query", `SELECT '{"a": {"b": [1]}}' WHERE 'm1' = %s UNION ALL SELECT '{"a": {"b": [2]}, "c": 1}'`, "as_json", true, "as_list", true)}, `{"a": {"b": [1, 2]}, "c": 1}`},
		"other id":  {"SELECT 'a', 1 WHERE %s = 'm2'", `{}`},
	} {
		m, err := ask(t.Context(), lite{":memory:"}, mysqlDialect, &Call{ID: "m1", Conf: c.conf})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, _ := json.Marshal(value.Plain(m))
		var got, want any
		_ = json.Unmarshal(b, &got)
		if json.Unmarshal([]byte(c.want), &want) != nil {
			t.Fatal(c.want)
		}
		w, _ := json.Marshal(want)
		if g, _ := json.Marshal(got); string(g) != string(w) {
			t.Errorf("%s: %s, want %s", name, g, w)
		}
	}
	for name, conf := range map[string]any{
		"a per cent sign": "SELECT 1, 2 WHERE 'x' LIKE '%x'", "no text": "", "one column": "SELECT 1", "no table": "SELECT a, b FROM nope", "an unknown key": value.NewMap("q", value.NewMap("query", "x", "dept", 1)),
	} {
		if m, err := ask(t.Context(), lite{":memory:"}, mysqlDialect, &Call{ID: "m1", Conf: conf}); err == nil {
			t.Errorf("%s: %v", name, m)
		}
	}
}

// Attack: an id that closes the quotes of a query. It is never part of the text.
func TestQueries_ID(t *testing.T) {
	m, err := ask(t.Context(), lite{":memory:"}, mysqlDialect, &Call{ID: "x' OR '1'='1", Conf: "SELECT 'secret', 1 WHERE 'm1' = %s"})
	if err != nil || m.Len() != 0 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestPlainID(t *testing.T) {
	for id, ok := range map[string]bool{"web-1.example_x": true, "a:b@c+d": true, "": false, "..": false, ".": false, "-x": false, "a b": false, "a;b": false, "a/b": false, "ä": false, "a\n": false} {
		if _, err := plainID(id); (err == nil) != ok {
			t.Errorf("%q: %v", id, err)
		}
	}
}
