package postgres

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/postgres/pgtest"
	"github.com/momtree/mom/returners/returnertest"
)

// saltDDL are the tables in the form of Salt's manual for the returner pgjsonb.
const saltDDL = `
CREATE TABLE jids (jid varchar(255) NOT NULL primary key, load jsonb NOT NULL);
CREATE INDEX idx_jids_jsonb on jids USING gin (load) WITH (fastupdate=on);
CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return jsonb NOT NULL, id varchar(255) NOT NULL,
  success varchar(10) NOT NULL, full_ret jsonb NOT NULL, alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW());
CREATE INDEX idx_salt_returns_id ON salt_returns (id);
CREATE INDEX idx_salt_returns_jid ON salt_returns (jid);
CREATE INDEX idx_salt_returns_fun ON salt_returns (fun);
CREATE INDEX idx_salt_returns_return ON salt_returns USING gin (return) with (fastupdate=on);
CREATE INDEX idx_salt_returns_full_ret ON salt_returns USING gin (full_ret) with (fastupdate=on);
CREATE SEQUENCE seq_salt_events_id;
CREATE TABLE salt_events (id BIGINT NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'), tag varchar(255) NOT NULL, data jsonb NOT NULL,
  alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW(), master_id varchar(255) NOT NULL);
CREATE INDEX idx_salt_events_tag on salt_events (tag);
CREATE INDEX idx_salt_events_data ON salt_events USING gin (data) with (fastupdate=on);
`

// textDDL are those for the returner postgres.
const textDDL = `
CREATE TABLE jids (jid varchar(20) PRIMARY KEY, load text NOT NULL);
CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return text NOT NULL, full_ret text, id varchar(255) NOT NULL,
  success varchar(10) NOT NULL, alter_time TIMESTAMP WITH TIME ZONE DEFAULT now());
CREATE INDEX idx_salt_returns_id ON salt_returns (id);
CREATE INDEX idx_salt_returns_jid ON salt_returns (jid);
CREATE INDEX idx_salt_returns_fun ON salt_returns (fun);
CREATE INDEX idx_salt_returns_updated ON salt_returns (alter_time);
CREATE SEQUENCE seq_salt_events_id;
CREATE TABLE salt_events (id BIGINT NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'), tag varchar(255) NOT NULL, data text NOT NULL,
  alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW(), master_id varchar(255) NOT NULL);
CREATE INDEX idx_salt_events_tag on salt_events (tag);
`

// saltRows are rows as Salt's tiers leave them: duplicates, ids that differ in case.
const saltRows = `
INSERT INTO jids SELECT '2026030112000' || j || '000000', '{"fun": "test.ping", "tgt": "*", "user": "root"}'::TYPE FROM generate_series(0, 2) j;
INSERT INTO salt_returns (fun, jid, return, id, success, full_ret, alter_time)
  SELECT 'test.ping', '2026030112000' || j || '000000', 'true'::TYPE, 'web-' || lpad(m::text, 4, '0'), 'true', x.full_ret, x.at FROM generate_series(0, 2) j, generate_series(0, 19) m,
  (VALUES ('{"id": "m", "return": true}'::TYPE, '2026-03-01 12:00:05Z'::timestamptz),
    ('{"cmd": "_return", "id": "m", "return": true, "user": "root"}', '2026-03-01 12:00:06Z'), ('{"id": "m"}', '2026-03-01 12:00:07Z')) x (full_ret, at);
INSERT INTO salt_returns (fun, jid, return, id, success, full_ret, alter_time) VALUES
  ('test.ping', '20260301120000000000', '"lower é"', 'case', 'true', '{"id": "case"}', '2026-03-01 12:00:05Z'),
  ('test.ping', '20260301120000000000', '"upper"', 'CASE', 'true', '{"id": "CASE"}', '2026-03-01 12:00:05Z'),
  ('test.ping', '20260301120001000000', '"first"', 'twice', 'true', '{"id": "twice", "n": 1}', '2026-03-01 12:00:05Z'),
  ('test.ping', '20260301120001000000', '"second"', 'twice', 'true', '{"id": "twice", "n": 222}', '2026-03-01 12:00:09Z');
INSERT INTO salt_events (tag, data, master_id) VALUES ('salt/auth', '{}', 'top');
`

// saltDatabase creates Salt's tables with rows.
func saltDatabase(t *testing.T, s *pgtest.Server, ddl, typ string) string {
	t.Helper()
	name := s.Database(t)
	s.Exec(t, name, ddl)
	s.Exec(t, name, strings.ReplaceAll(saltRows, "TYPE", typ))
	return name
}

func TestMigrateFromSalt(t *testing.T) {
	s := server(t)
	for _, c := range []struct{ name, returner, typ, ddl string }{
		{"pgjsonb", JSONB, "jsonb", saltDDL},
		{"postgres", Text, "text", textDDL},
		{"jids without unique key", JSONB, "jsonb", strings.Replace(saltDDL, " primary key", "", 1)},
		{"own primary key", Text, "text", strings.Replace(textDDL, "CREATE TABLE salt_returns (", "CREATE TABLE salt_returns (n bigserial PRIMARY KEY, ", 1)},
		{"without times", JSONB, "jsonb", strings.Replace(saltDDL, ",\n  alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW(), master_id varchar(255) NOT NULL", ", master_id varchar(255) NOT NULL", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := saltDatabase(t, s, c.ddl, c.typ)
			if strings.Contains(c.name, "jids without") {
				s.Exec(t, name, "INSERT INTO jids VALUES ($1, '{}')", returnertest.JID(1))
			}
			for range 2 { // a repetition changes nothing
				st := open(t, s, name, as(c.returner))
				if err := st.Ping(t.Context()); err != nil {
					t.Fatal(err)
				}
				checkMigrated(t, st, s.Open(t, name))
			}
		})
	}
}

func TestMigrateByTwoMastersAtOnce(t *testing.T) {
	s := server(t)
	for _, name := range []string{s.Database(t), saltDatabase(t, s, saltDDL, "jsonb")} {
		var wg sync.WaitGroup
		for range 3 {
			st := open(t, s, name)
			wg.Go(func() {
				if err := st.Ping(context.Background()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		wg.Wait()
	}
}

// A migration that takes longer than its first caller waits goes on; Close ends one.
func TestMigrateOutlivesItsCaller(t *testing.T) {
	s := server(t)
	name := saltDatabase(t, s, saltDDL, "jsonb")
	db := s.Open(t, name)
	lock := func() *sql.Tx {
		tx, err := db.BeginTx(t.Context(), nil)
		if err == nil {
			_, err = tx.ExecContext(t.Context(), "LOCK TABLE salt_returns IN SHARE MODE")
		}
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	blocked := func() bool {
		return returnertest.Count(t, db, "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE salt_returns%'") == 1
	}
	closed, st := open(t, s, name), open(t, s, name)
	for _, st := range []*Store{closed, st} {
		tx := lock()
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() { result <- st.Ping(ctx) }()
		waiting.Until(t, "the migration waits for the lock", blocked)
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if st == closed {
			if err := st.Close(); err != nil {
				t.Error(err)
			}
			waiting.Until(t, "the migration has ended", func() bool { return !blocked() })
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
	waiting.Until(t, "the migration is done", func() bool { return st.ready.Load() })
	checkMigrated(t, st, db)
}

// The tables of one returner are left alone by the other; the error names the right one.
func TestMigrateLeavesTablesOfTheOtherReturner(t *testing.T) {
	s := server(t)
	for returner, ddl := range map[string]string{Text: saltDDL, JSONB: textDDL} {
		name := s.Database(t)
		s.Exec(t, name, ddl)
		err := open(t, s, name, as(returner)).Ping(t.Context())
		other := map[string]string{Text: JSONB, JSONB: Text}[returner]
		if returners.Class(err) != returners.ClassSchema || !strings.Contains(err.Error(), "as in tables of the returner "+other) {
			t.Errorf("%s: %v", returner, err)
		}
		if n := returnertest.Count(t, s.Open(t, name), "SELECT COUNT(*) FROM pg_class WHERE relname LIKE 'mom%'"); n != 0 {
			t.Errorf("%s: %d tables were added", returner, n)
		}
	}
}

// An account without the right to create tables gets an error that says what to grant, and
// may use tables that exist.
func TestMigrateWithoutRightToCreate(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	user := "u" + name
	s.Exec(t, name, "REVOKE CREATE ON SCHEMA public FROM PUBLIC; CREATE ROLE "+user+" LOGIN")
	less := func(o *Options) { o.User = user }
	err := open(t, s, name, less).Ping(t.Context())
	if !errors.Is(err, returners.ErrUnavailable) || returners.Class(err) != returners.ClassAccess || !strings.Contains(err.Error(), "grant") {
		t.Errorf("empty database: %v", err)
	}
	if err := open(t, s, name).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Exec(t, name, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "+user)
	if err := open(t, s, name, less).SaveLoads(t.Context(), []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}); err != nil {
		t.Errorf("tables are there: %v", err)
	}
}

// A Python master uses these statements at the same time.
func TestSaltsOwnStatementsStillWork(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name)
	if err := st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "a", "test.ping", true)}); err != nil {
		t.Fatal(err)
	}
	db := s.Open(t, name)
	for range 2 { // save_load repeats itself
		s.Exec(t, name, "INSERT INTO jids (jid, load) VALUES ($1, $2) ON CONFLICT (jid) DO UPDATE SET load=$2", returnertest.JID(2), "{}")
	}
	s.Exec(t, name, `INSERT INTO salt_returns (fun, jid, return, id, success, full_ret, alter_time) VALUES
		('test.ping', '`+returnertest.JID(2)+`', 'true', 'py', true, '{"retcode": 0}', to_timestamp(1772366402.5))`)
	s.Exec(t, name, "INSERT INTO salt_events (tag, data, master_id, alter_time) VALUES ('t', '{}', 'py', to_timestamp(1772366402.5))")
	for _, q := range []string{
		"create table IF NOT exists salt_events_archive (LIKE salt_events)", "insert into salt_events_archive select * from salt_events where alter_time < now()",
		"delete from salt_events where alter_time < now()",
	} {
		s.Exec(t, name, q)
	}
	if n := returnertest.Count(t, db, "SELECT COUNT(*) FROM (SELECT DISTINCT ON (id) id, jid, full_ret FROM salt_returns WHERE fun = 'test.ping' ORDER BY id, alter_time DESC) x"); n != 2 {
		t.Errorf("%d minions", n)
	}
	got, err := st.GetFun(t.Context(), "test.ping")
	if err != nil || len(got) != 2 || !got["py"].Success {
		t.Errorf("%v, %v", got, err)
	}
	ids, err := st.Minions(t.Context())
	if diff := cmp.Diff([]string{"a", "py"}, ids); diff != "" || err != nil || !slices.IsSorted(ids) {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func checkMigrated(t *testing.T, st *Store, db *sql.DB) {
	t.Helper()
	returnertest.CheckMigrated(t, st, db, `SELECT "return" FROM mom_duplicates`)
}
