package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql/mysqltest"
	"github.com/momtree/mom/returners/returnertest"
)

// saltDDL are the tables in the form of Salt's manual.
const saltDDL = `
CREATE TABLE jids (jid varchar(255) NOT NULL, ` + "`load`" + ` mediumtext NOT NULL, UNIQUE KEY jid (jid)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;
CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, ` + "`return`" + ` mediumtext NOT NULL, id varchar(255) NOT NULL,
  success varchar(10) NOT NULL, full_ret mediumtext NOT NULL, alter_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  KEY id (id), KEY jid (jid), KEY fun (fun)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;
CREATE TABLE salt_events (id BIGINT NOT NULL AUTO_INCREMENT, tag varchar(255) NOT NULL, data mediumtext NOT NULL,
  alter_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP, master_id varchar(255) NOT NULL, PRIMARY KEY (id), KEY tag (tag)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;
`

const insertSalt = "INSERT INTO salt_returns (fun, jid, `return`, id, success, full_ret, alter_time) VALUES (?, ?, ?, ?, ?, ?, ?)"

// saltDatabase creates Salt's tables with rows as its tiers leave them: duplicates, ids
// that differ in case, three-byte text.
func saltDatabase(t *testing.T, s *mysqltest.Server, ddl string) string {
	t.Helper()
	name := s.Database(t)
	s.Exec(t, name, ddl)
	add := func(jid, id, value, full, at string) {
		s.Exec(t, name, insertSalt, "test.ping", jid, value, id, "1", full, at)
	}
	for job := range 3 {
		jid := returnertest.JID(job)
		s.Exec(t, name, "INSERT INTO jids VALUES (?, ?)", jid, `{"fun": "test.ping", "tgt": "*", "user": "root"}`)
		for m := range 20 {
			id := returnertest.Minion(m)
			add(jid, id, "true", `{"id": "`+id+`", "return": true}`, "2026-03-01 12:00:05")
			add(jid, id, "true", `{"cmd": "_return", "id": "`+id+`", "return": true, "user": "root"}`, "2026-03-01 12:00:06")
			add(jid, id, "true", `{"id": "`+id+`"}`, "2026-03-01 12:00:07")
		}
	}
	add(returnertest.JID(0), "case", `"lower é"`, `{"id": "case"}`, "2026-03-01 12:00:05")
	add(returnertest.JID(0), "CASE", `"upper"`, `{"id": "CASE"}`, "2026-03-01 12:00:05")
	add(returnertest.JID(1), "twice", `"first"`, `{"id": "twice", "n": 1}`, "2026-03-01 12:00:05")
	add(returnertest.JID(1), "twice", `"second"`, `{"id": "twice", "n": 222}`, "2026-03-01 12:00:09")
	s.Exec(t, name, "INSERT INTO salt_events (tag, data, master_id) VALUES ('salt/auth', '{}', 'top')")
	return name
}

func TestMigrateFromSalt(t *testing.T) {
	s := server(t)
	for _, c := range []struct{ name, ddl string }{
		{"utf8 tables", saltDDL},
		{"old row format", strings.ReplaceAll(saltDDL, "ENGINE=InnoDB", "ENGINE=InnoDB ROW_FORMAT=COMPACT")},
		{"latin1 tables", strings.ReplaceAll(saltDDL, "utf8mb3", "latin1")},
		{"jids without unique key", strings.Replace(saltDDL, "UNIQUE KEY", "KEY", 1)},
		{"own primary key", strings.Replace(saltDDL, "CREATE TABLE salt_returns (", "CREATE TABLE salt_returns (n bigint AUTO_INCREMENT PRIMARY KEY, ", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := saltDatabase(t, s, c.ddl)
			db := s.Open(t, name)
			if strings.Contains(c.name, "jids without") {
				s.Exec(t, name, "INSERT INTO jids VALUES (?, '{}')", returnertest.JID(1))
			}
			if err := open(t, s, name).Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkMigrated(t, open(t, s, name), db)
			if err := open(t, s, name).Ping(t.Context()); err != nil { // a repetition changes nothing
				t.Fatal(err)
			}
			checkMigrated(t, open(t, s, name), db)
		})
	}
}

func TestMigrateByTwoMastersAtOnce(t *testing.T) {
	s := server(t)
	for _, name := range []string{s.Database(t), saltDatabase(t, s, saltDDL)} {
		var wg sync.WaitGroup
		for range 3 {
			st := open(t, s, name)
			wg.Go(func() {
				// One may lose a race; it retries, as the daemon does.
				var err error
				for range 5 {
					if err = st.Ping(context.Background()); err == nil {
						return
					}
				}
				t.Errorf("%s: %v", name, err)
			})
		}
		wg.Wait()
	}
}

func TestMigrateWithoutRightToCreate(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	user := "u" + name
	s.Exec(t, name, fmt.Sprintf("CREATE USER %s IDENTIFIED BY 'p'; GRANT SELECT, INSERT, UPDATE, DELETE ON %s.* TO %s", user, name, user))
	as := func(o *Options) { o.User, o.Pass = user, "p" }
	err := open(t, s, name, as).Ping(t.Context())
	if !errors.Is(err, returners.ErrUnavailable) || returners.Class(err) != returners.ClassAccess || !strings.Contains(err.Error(), "grant") {
		t.Errorf("empty database: %v", err)
	}
	if err := open(t, s, name).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := open(t, s, name, as).SaveLoads(t.Context(), []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}); err != nil {
		t.Errorf("tables are there: %v", err)
	}
}

func TestSaltsOwnStatementsStillWork(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name)
	if err := st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "a", "test.ping", true)}); err != nil {
		t.Fatal(err)
	}
	db := s.Open(t, name)
	// A Python master uses these statements at the same time.
	s.Exec(t, name, "INSERT INTO salt_returns (`fun`, `jid`, `return`, `id`, `success`, `full_ret`) VALUES ('test.ping', ?, 'true', 'py', '1', '{\"retcode\": 0}')", returnertest.JID(2))
	s.Exec(t, name, "INSERT INTO salt_events (`tag`, `data`, `master_id`) VALUES ('t', '{}', 'py')")
	s.Exec(t, name, "INSERT INTO jids (jid, `load`) VALUES (?, '{}')", returnertest.JID(2))
	var ids []string
	rows, err := db.QueryContext(t.Context(), `SELECT s.id, s.jid, s.full_ret FROM salt_returns s
		JOIN (SELECT MAX(jid) AS jid FROM salt_returns GROUP BY fun, id) max ON s.jid = max.jid WHERE s.fun = 'test.ping'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, jid, full string
		if err := rows.Scan(&id, &jid, &full); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if diff := cmp.Diff([]string{"a", "py"}, ids); diff != "" || rows.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", rows.Err(), diff)
	}
	got, err := st.GetFun(t.Context(), "test.ping")
	if err != nil || len(got) != 2 || !got["py"].Success {
		t.Errorf("%v, %v", got, err)
	}
}

func checkMigrated(t *testing.T, st *Store, db *sql.DB) {
	t.Helper()
	returnertest.CheckMigrated(t, st, db, "SELECT `return` FROM mom_duplicates")
}
