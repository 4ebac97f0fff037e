package ext

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/returners/postgres/pgtest"
	"github.com/momtree/mom/value"
)

// Rows of PostgreSQL become the pillar that Salt's source of this name gives.
func TestPostgres(t *testing.T) {
	s := pgtest.Start(t, pgtest.Config{})
	name := s.Database(t)
	s.Exec(t, name, `CREATE TABLE pillars (minion text, a varchar(20), b text, n integer, f double precision, flag boolean, doc jsonb, big bigint);
		INSERT INTO pillars VALUES ('web%', 'users', 'anna', 1, 1.5, true, '{"x": [1, {"y": null}]}', 9007199254740993), ('web%', 'users', 'bert', 2, NULL, false, '"text"', -5),
		('db%', 'users', 'eve', 9, 9, true, '1', 1)`)
	conf := config.DefaultMaster()
	conf.Raw["postgres"] = map[string]any{"host": s.Dir, "port": s.Port, "user": "postgres", "db": name}
	for what, c := range map[string]struct {
		conf any
		want string
	}{
		"kinds": {
			value.NewMap("site", value.NewMap("query", "SELECT a, b, n, f, flag, doc, big FROM pillars WHERE %s LIKE minion AND %s <> 'x'", "depth", int64(2))),
			`{"site": {"users": {"anna": {"n": 1, "f": 1.5, "flag": true, "doc": {"x": [1, {"y": null}]}, "big": 9007199254740993},
				"bert": {"n": 2, "f": null, "flag": false, "doc": "text", "big": -5}}}}`,
		},
		"JSON":    {value.NewMap("top", value.NewMap("query", "SELECT doc FROM pillars WHERE %s LIKE minion AND b = 'anna'", "as_json", true)), `{"top": {"x": [1, {"y": null}]}}`},
		"nothing": {"SELECT a, n FROM pillars WHERE minion = %s", `{}`},
	} {
		m, err := loadPostgres(t.Context(), &Call{ID: "web1", Conf: c.conf, Config: conf, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got, err := json.Marshal(value.Plain(m))
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		var is any
		if err := json.Unmarshal(got, &is); err != nil {
			t.Fatal(err)
		}
		w, _ := json.Marshal(want)
		if g, _ := json.Marshal(is); string(g) != string(w) {
			t.Errorf("%s: %s, want %s", what, g, w)
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	_, err := loadPostgres(t.Context(), &Call{ID: "web1", Conf: "SELECT 1, 2", Config: conf, Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "connect") {
		t.Errorf("a database that is away: %v", err)
	}
}
