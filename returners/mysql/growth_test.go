//go:build slow

package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql/mysqltest"
)

// minionsPerJob is the size of the jobs of a grown database.
const minionsPerJob = 1000

// firstDay begins the jobs of a grown database, one every 20 s.
var firstDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func growthJID(job int) string {
	return firstDay.Add(time.Duration(job)*20*time.Second).Format("20060102150405") + "000000"
}

// grow fills the tables with rows as mom writes them, some jobs a transaction. One minion in 50 has not
// returned and has a reason.
func grow(t *testing.T, db *sql.DB, rows int) (jobs int) {
	t.Helper()
	jobs = rows / minionsPerJob
	const perTx = 100
	jid := fmt.Sprintf("CONCAT(DATE_FORMAT('%s' + INTERVAL 20 * j.seq SECOND, '%%Y%%m%%d%%H%%i%%S'), '000000')", firstDay.Format(time.DateTime))
	at := fmt.Sprintf("'%s' + INTERVAL 20 * j.seq SECOND", firstDay.Format(time.DateTime))
	for from := 0; from < jobs; from += perTx {
		j := fmt.Sprintf("seq_%d_to_%d j", from, min(from+perTx, jobs)-1)
		m := fmt.Sprintf("seq_1_to_%d m", minionsPerJob)
		for _, text := range []string{
			"INSERT INTO jids SELECT " + jid + `, CONCAT('{"fun": "test.ping", "tgt": "*", "tgt_type": "glob", "user": "root", "arg": [], "jid": "', ` + jid + `, '"}') FROM ` + j,
			"INSERT INTO mom_jobs SELECT " + jid + ", " + at + ", NULL FROM " + j,
			"INSERT INTO mom_nodes SELECT " + jid + ", 'a', " + at + " FROM " + j,
			"INSERT INTO mom_expected SELECT " + jid + ", CONCAT('web-', LPAD(m.seq, 6, '0')), 'a', IF(m.seq % 50 = 0, 'Not connected', NULL), " + at + " FROM " + j + " JOIN " + m,
			"INSERT INTO salt_returns SELECT 'test.ping', " + jid + ", 'true', CONCAT('web-', LPAD(m.seq, 6, '0')), '1', " +
				`CONCAT('{"fun": "test.ping", "jid": "', ` + jid + `, '", "return": true, "retcode": 0, "success": true, "id": "web-', LPAD(m.seq, 6, '0'), '"}'), ` + at +
				" FROM " + j + " JOIN " + m + " WHERE m.seq % 50 <> 0",
		} {
			if _, err := db.ExecContext(t.Context(), text); err != nil {
				t.Fatalf("%.60s: %v", text, err)
			}
		}
	}
	return jobs
}

// growthRows is the number of rows of mom_expected: MOM_GROWTH_ROWS, or two millions.
func growthRows(t *testing.T) int {
	rows := 2_000_000
	if text := os.Getenv("MOM_GROWTH_ROWS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 10*minionsPerJob {
			t.Fatalf("MOM_GROWTH_ROWS is %q; use a number of at least %d", text, 10*minionsPerJob)
		}
		rows = n
	}
	return rows
}

// questions are the statements of SCHEMA.md.
func questions(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```sql\n(SELECT.*?);\n```").FindAllStringSubmatch(string(page), -1) {
		out = append(out, m[1])
	}
	return out
}

// examined returns how many rows the server has read for this connection.
func examined(t *testing.T, c *sql.Conn) (n int64) {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), "SHOW SESSION STATUS LIKE 'Handler_read%'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var count int64
		if err := rows.Scan(&name, &count); err != nil {
			t.Fatal(err)
		}
		n += count
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

// In a database of two million rows (MOM_GROWTH_ROWS for more) a question reads the rows of its job or its day and
// no others, old jobs are removed by ranges of the key without a scan, and partitions by day can be dropped in the
// place of that. The times are printed, not judged.
func TestGrowth(t *testing.T) {
	s := mysqltest.Start(t, "--innodb-buffer-pool-size=2G", "--innodb-flush-log-at-trx-commit=2", "--innodb-log-file-size=512M")
	name := s.Database(t)
	st := open(t, s, name)
	if err := st.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := st.GetLoad(t.Context(), growthJID(0)); err != nil { // makes the tables
		t.Fatal(err)
	}
	if err := st.SaveLoads(t.Context(), []returners.Load{{JID: growthJID(1 << 24), Raw: []byte{0x80}}}); err != nil {
		t.Fatal(err)
	}
	db := s.Open(t, name)
	begun := time.Now()
	jobs := grow(t, db, growthRows(t))
	t.Logf("%d jobs of %d minions in %v", jobs, minionsPerJob, time.Since(begun).Round(time.Second))

	day := min(jobs, 24*60*3) * minionsPerJob
	last := jobs - 1
	asked := questions(t)
	if len(asked) != 2 {
		t.Fatalf("SCHEMA.md has %d questions", len(asked))
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	old := "20260301"
	for i, q := range asked {
		// per row of mom_expected: itself, its return, and the temporary table of the grouping or sorting
		limit := int64(4 * []int{minionsPerJob, day}[i])
		q = strings.ReplaceAll(q, "20260301120001000000", growthJID(last))
		before, at := examined(t, c), time.Now()
		n := 0
		rows, err := c.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		took, read := time.Since(at), examined(t, c)-before
		t.Logf("question %d: %d rows, %d read, %v", i+1, n, read, took.Round(time.Millisecond/10))
		if n == 0 || read > limit+1000 {
			t.Errorf("question %d: %d rows of the answer, %d read, at most %d for one job or day", i+1, n, read, limit)
		}
	}
	timed(t, "returns of a job", func(ctx context.Context) error {
		rets, err := st.GetReturns(ctx, growthJID(last))
		if len(rets) != minionsPerJob*49/50 {
			t.Errorf("%d returns", len(rets))
		}
		return err
	})
	timed(t, "newest 100 jobs", func(ctx context.Context) error {
		_, err := st.ListJobs(ctx, returners.Filter{Limit: 100})
		return err
	})
	removed := 0
	timed(t, "removal of a twentieth of the jobs", func(ctx context.Context) error {
		before := firstDay.Add(time.Duration(jobs/20) * 20 * time.Second)
		for {
			n, err := st.Clean(ctx, before, 100_000)
			if removed += n; err != nil || n == 0 {
				return err
			}
		}
	})
	t.Logf("%d rows removed", removed)
	if removed < jobs/20*minionsPerJob {
		t.Errorf("only %d rows were removed", removed)
	}
	for _, table := range []string{"salt_returns", "mom_expected"} {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table+" WHERE jid < ?", growthJID(jobs/20)).Scan(&n); err != nil || n > 0 {
			t.Errorf("%s: %d old rows, %v", table, n, err)
		}
	}
	partitions(t, st, db, old)
}

// partitions plays what SCHEMA.md says of partitions by day: the store works with them, and a dropped one is gone.
func partitions(t *testing.T, st *Store, db *sql.DB, day string) {
	t.Helper()
	next := firstDay.AddDate(0, 0, 1).Format("20060102")
	for _, table := range []string{"salt_returns", "mom_expected"} {
		timed(t, "partitions of "+table, func(ctx context.Context) error {
			_, err := db.ExecContext(ctx, "ALTER TABLE "+table+" PARTITION BY RANGE COLUMNS (jid) (PARTITION d"+day+" VALUES LESS THAN ('"+next+"'), PARTITION later VALUES LESS THAN (MAXVALUE))")
			return err
		})
	}
	jid := next + "120000000001"
	ret := returners.Return{JID: jid, ID: "web", Fun: "test.ping", Value: []byte{0xc3}, Full: []byte{0x80}, Success: true}
	for range 2 {
		if err := st.SaveReturns(t.Context(), []returners.Return{ret}); err != nil {
			t.Fatal(err)
		}
	}
	timed(t, "drop of a day", func(ctx context.Context) error {
		_, err := db.ExecContext(ctx, "ALTER TABLE salt_returns DROP PARTITION d"+day)
		return err
	})
	again := open(t, serverOf(st), st.o.DB) // checks and migrates the tables once more
	ret.ID = "db"
	if err := again.SaveReturns(t.Context(), []returners.Return{ret}); err != nil {
		t.Fatal(err)
	}
	if rets, err := again.GetReturns(t.Context(), jid); err != nil || len(rets) != 2 {
		t.Errorf("%d returns, %v", len(rets), err)
	}
	if rets, err := again.GetReturns(t.Context(), growthJID(600)); err != nil || len(rets) != 0 {
		t.Errorf("%d returns of the dropped day, %v", len(rets), err)
	}
}

// serverOf returns the server of a store, for another store.
func serverOf(st *Store) *mysqltest.Server { return &mysqltest.Server{Socket: st.o.UnixSocket} }

func timed(t *testing.T, what string, do func(context.Context) error) {
	t.Helper()
	at := time.Now()
	if err := do(t.Context()); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	t.Logf("%s: %v", what, time.Since(at).Round(time.Millisecond/10))
}
