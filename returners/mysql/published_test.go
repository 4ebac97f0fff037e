package mysql

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// published are all versions of the tables in the documentation of Salt's mysql returner.
// Servers gave a load of 65,000 characters a text column.
var published = []struct{ since, ddl string }{
	{"2012-11", jidsOf("mediumtext") + returnsOf(200, "")},
	{"2012-11, narrow", jidsOf("varchar(20000)") + returnsOf(200, "")},
	{"2013-09", jidsOf("mediumtext") + returnsOf(255, "")},
	{"2013-12", jidsOf("mediumtext") + returnsOf(255, stampOf)},
	{"2014-11", jidsOf("mediumtext") + returnsOf(255, stampOf) + eventsOf("", "varchar(1024)", "")},
	{"2015-02", jidsOf("mediumtext") + returnsOf(255, stampOf) + eventsOf("id BIGINT NOT NULL AUTO_INCREMENT, ", "varchar(1024)", ", PRIMARY KEY (id)")},
	{"2015-08", jidsOf("mediumtext") + returnsOf(255, stampOf) + eventsOf("id BIGINT NOT NULL AUTO_INCREMENT, ", "varchar(1024)", ", master_id varchar(255) NOT NULL, PRIMARY KEY (id)")},
	{"2024-02", jidsOf("mediumtext") + returnsOf(255, stampOf) + eventsOf("id BIGINT NOT NULL AUTO_INCREMENT, ", "mediumtext", ", master_id varchar(255) NOT NULL, PRIMARY KEY (id)")},
	{"2015-02, own key", jidsOf("mediumtext") + returnsOf(255, stampOf) + eventsOf("n char(36) NOT NULL DEFAULT (UUID()) PRIMARY KEY, ", "varchar(1024)", "")},
}

const stampOf = ", alter_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP"

func jidsOf(load string) string {
	charset := "utf8"
	if strings.HasPrefix(load, "varchar") {
		charset = "latin1"
	}
	return "CREATE TABLE jids (jid varchar(255) NOT NULL, `load` " + load + " NOT NULL, UNIQUE KEY jid (jid)) ENGINE=InnoDB DEFAULT CHARSET=" + charset + ";\n"
}

func returnsOf(jid int, stamp string) string {
	width := map[int]string{200: "200", 255: "255"}[jid]
	return "CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(" + width + ") NOT NULL, `return` mediumtext NOT NULL, id varchar(255) NOT NULL, " +
		"success varchar(10) NOT NULL, full_ret mediumtext NOT NULL" + stamp + ", KEY id (id), KEY jid (jid), KEY fun (fun)) ENGINE=InnoDB DEFAULT CHARSET=utf8;\n"
}

func eventsOf(id, data, more string) string {
	return "CREATE TABLE salt_events (" + id + "tag varchar(255) NOT NULL, data " + data + " NOT NULL" + stampOf + more + ", KEY tag (tag)) ENGINE=InnoDB DEFAULT CHARSET=utf8;\n"
}

// Each published form of Salt's tables is migrated, empty or with rows, including
// duplicates: old rows can be read, new ones are written, and the statements of Salt's own
// returner still work.
func TestMigrate_PublishedForms(t *testing.T) {
	s := server(t)
	for _, p := range published {
		for _, filled := range []bool{false, true} {
			name := p.since
			if filled {
				name += ", filled"
			}
			t.Run(name, func(t *testing.T) {
				ctx := t.Context()
				base := s.Database(t)
				s.Exec(t, base, p.ddl)
				old := returnertest.JID(1)
				if filled {
					s.Exec(t, base, "INSERT INTO jids VALUES (?, ?)", old, `{"fun": "test.ping", "tgt": "*", "user": "root"}`)
					for range 2 { // as two tiers leave them
						s.Exec(t, base, "INSERT INTO salt_returns (fun, jid, `return`, id, success, full_ret) VALUES (?, ?, ?, ?, ?, ?)",
							"test.ping", old, "true", "old1", "1", `{"id": "old1", "jid": "`+old+`", "return": true, "fun": "test.ping"}`)
					}
					if strings.Contains(p.ddl, "TABLE salt_events") {
						columns, values := "tag, data", "('a', '{}'), ('b', '{}')"
						if strings.Contains(p.ddl, "master_id") {
							columns, values = "tag, data, master_id", "('a', '{}', 'top'), ('b', '{}', 'top')"
						}
						s.Exec(t, base, "INSERT INTO salt_events ("+columns+") VALUES "+values)
					}
				}
				st := open(t, s, base)
				if err := st.Ping(ctx); err != nil {
					t.Fatal(err)
				}
				if filled {
					rets, err := st.GetReturns(ctx, old)
					if err != nil || len(rets) != 1 || rets[0].ID != "old1" || time.Since(rets[0].At).Abs() > 48*time.Hour {
						t.Errorf("the old rows: %+v, %v", rets, err)
					}
				}
				saveAndRead(t, st, returnertest.JID(2))
				asSalt(t, s.Open(t, base), returnertest.JID(2), filled)
				if err := open(t, s, base).Ping(ctx); err != nil { // a repetition changes nothing
					t.Fatal(err)
				}
			})
		}
	}
}

// saveAndRead writes a job with a return and an event, and reads the return.
func saveAndRead(t *testing.T, st *Store, jid string) {
	t.Helper()
	yes, err := wire.Encode(true)
	if err != nil {
		t.Fatal(err)
	}
	full, err := wire.Encode(wire.NewMap("id", "new1", "jid", jid, "return", true, "fun", "test.ping", "retcode", 0, "success", true))
	if err != nil {
		t.Fatal(err)
	}
	load, err := wire.Encode(wire.NewMap("fun", "test.ping", "tgt", "*", "tgt_type", "glob", "jid", jid, "user", "root"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := wire.Encode(wire.NewMap("x", 1))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Truncate(time.Second)
	if err := errors.Join(
		st.SaveLoads(t.Context(), []returners.Load{{JID: jid, Raw: load, User: "root", At: now}}),
		st.SaveReturns(t.Context(), []returners.Return{{JID: jid, ID: "new1", Fun: "test.ping", Success: true, Value: yes, Full: full, At: now}}),
		st.SaveEvents(t.Context(), []returners.Event{{Tag: "salt/new", Data: data, MasterID: "top", At: now}}),
	); err != nil {
		t.Fatal(err)
	}
	rets, err := st.GetReturns(t.Context(), jid)
	if err != nil || len(rets) != 1 || rets[0].ID != "new1" || !rets[0].At.Equal(now) {
		t.Errorf("%+v, %v", rets, err)
	}
}

// asSalt runs the statements of Salt's salt/returners/mysql.py.
func asSalt(t *testing.T, db *sql.DB, jid string, filled bool) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{"INSERT INTO `salt_returns` (`fun`, `jid`, `return`, `id`, `success`, `full_ret`) VALUES (?, ?, ?, ?, ?, ?)", []any{"test.ping", jid, "true", "salt1", "1", "{}"}},
		{"INSERT INTO `salt_events` (`tag`, `data`, `master_id`) VALUES (?, ?, ?)", []any{"salt/x", "{}", "top"}},
		{"INSERT INTO `jids` (`jid`, `load`) VALUES (?, ?)", []any{jid + "9", "{}"}},
	} {
		if _, err := db.ExecContext(ctx, q.sql, q.args...); err != nil {
			t.Errorf("%s: %v", q.sql, err)
		}
	}
	returns, jids := 2, 2
	if filled {
		jids = 3
	}
	for q, want := range map[string]int{
		"SELECT id, full_ret FROM salt_returns WHERE jid = '" + jid + "'": returns,
		"SELECT jid, `load` FROM jids":                                    jids,
		"SELECT s.id, s.jid, s.full_ret FROM salt_returns s JOIN ( SELECT MAX(`jid`) as jid from salt_returns GROUP BY fun, id) max ON s.jid = max.jid WHERE s.fun = 'test.ping' AND s.id = 'salt1'": 2, // by the jid alone, in which both minions are the last
		"SELECT id FROM salt_events WHERE tag = 'salt/x'": 1,
	} {
		rows, err := db.QueryContext(ctx, q)
		if err != nil {
			t.Errorf("%s: %v", q, err)
			continue
		}
		n := 0
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil || n != want {
			t.Errorf("%s: %d rows, want %d, %v", q, n, want, err)
		}
		_ = rows.Close() // all were read
	}
}
