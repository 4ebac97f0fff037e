package localcluster_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners/mysql/mysqltest"
	"github.com/momtree/mom/topology"
)

// TestKill_NodeInAThousandReturns kills a node by SIGKILL while it forwards a thousand returns
// (200 without the build tag slow), with MariaDB written by the node and the top. After its
// restart every return exists once: in SQL and in the job store of the top.
func TestKill_NodeInAThousandReturns(t *testing.T) {
	const minions = swarming
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	server, err := mysqltest.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Remove(); err != nil {
			t.Error(err)
		}
	})
	db, conf := database(t, server)
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	spec := localcluster.Spec{ID: "top", Master: conf, Nodes: []localcluster.Spec{{ID: "node", Master: conf}}}
	var sw *swarm
	held := make(chan struct{}) // so that returns are left for after the kill, on any machine
	s.planted = func() {
		sw = newSwarm(t, s.cluster, "node", minions, 3*time.Second)
		sw.held = held
	}
	if err := s.plant(ctx, t, spec); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	sw.start(t, s.cluster, "node")
	err = s.await(ctx, func(n topology.Node) bool { _, _, up := n.Count(); return up == minions })
	if err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	p, err := s.client.Publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil {
		t.Fatal(err)
	}
	waiting.UntilDone(ctx, t, "the first returns in SQL", func() bool { n, _ := counts(ctx, t, db, p.JID); return n > minions/10 })
	given := sw.given.Load()
	if err := s.procs["node"].Kill(); err != nil {
		t.Fatal(err)
	}
	if given >= minions {
		t.Fatalf("all %d returns were in before the kill: it proves nothing", given)
	}
	close(held)
	m, _ := s.cluster.Find("node")
	if s.procs["node"], err = localcluster.Start(program, m); err != nil {
		t.Fatal(err)
	}
	waiting.UntilDone(ctx, t, "all returns in SQL", func() bool { n, _ := counts(ctx, t, db, p.JID); return n >= minions })
	rows, ids := counts(ctx, t, db, p.JID)
	if rows != minions || ids != minions {
		t.Errorf("SQL holds %d rows of %d minions, want %d of each", rows, ids, minions)
	}
	s.last = p.JID
	waiting.UntilDone(ctx, t, "all returns at the top", func() bool {
		out, err := s.rows(ctx, t, "top")
		return err == nil && countOnce(t, out) == minions
	})
	t.Logf("killed after %d acknowledged returns; %d rows of %d minions", given, rows, ids)
}

// database creates a database for a test and returns the options for it.
func database(t *testing.T, server *mysqltest.Server) (*sql.DB, string) {
	t.Helper()
	c := driver.NewConfig()
	c.User, c.Net, c.Addr = "root", "tcp", fmt.Sprintf("127.0.0.1:%d", server.Port)
	db, err := sql.Open("mysql", c.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE salt"); err != nil {
		t.Fatal(err)
	}
	c.DBName = "salt"
	if db, err = sql.Open("mysql", c.FormatDSN()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db, fmt.Sprintf("master_job_cache: mysql\nmysql.host: 127.0.0.1\nmysql.port: %d\nmysql.user: root\nmysql.pass: ''\nmysql.db: salt\n", server.Port)
}

// noSuchTable is MariaDB's error until the program has created its tables.
const noSuchTable = 1146

// counts returns the number of rows of a job and of different minions in them.
func counts(ctx context.Context, t *testing.T, db *sql.DB, jid string) (rows, ids int) {
	t.Helper()
	err := db.QueryRowContext(ctx, "SELECT count(*), count(DISTINCT id) FROM salt_returns WHERE jid = ?", jid).Scan(&rows, &ids)
	var missing *driver.MySQLError
	if err != nil && ctx.Err() == nil && !(errors.As(err, &missing) && missing.Number == noSuchTable) {
		t.Fatalf("count rows: %v", err)
	}
	return rows, ids
}

func countOnce(t *testing.T, rows string) (n int) {
	var id string
	for _, f := range strings.Fields(rows) {
		var k int
		if _, err := fmt.Sscanf(f, "%5s:%d", &id, &k); err != nil {
			t.Fatalf("row %q: %v", f, err)
		}
		if k != 1 {
			t.Errorf("%s is there %d times", id, k)
		}
		n++
	}
	return n
}
