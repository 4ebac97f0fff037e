//go:build slow

package mysql

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql/mysqltest"
	"github.com/momtree/mom/returners/returnertest"
)

// behind lets a node be behind another for a while: it applies a large transaction, which the
// other node has committed.
func behind(t *testing.T, ahead *mysqltest.Server) {
	t.Helper()
	ahead.Exec(t, "", "CREATE DATABASE IF NOT EXISTS ballast; CREATE TABLE IF NOT EXISTS ballast.rows (id bigint AUTO_INCREMENT PRIMARY KEY, a char(200)); "+
		"INSERT INTO ballast.rows (a) SELECT seq FROM ballast.seq_1_to_40000")
}

// A store that changes to another node sees there what it stored before, though the node is
// behind: a minion that was missing and has returned has no reason any longer.
func TestGalera_ChangeOfNode(t *testing.T) {
	cluster := mysqltest.StartCluster(t, 2)
	name := cluster[0].Database(t)
	st := open(t, cluster[0], name)
	if err := st.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := open(t, cluster[1], name)
	waiting.Until(t, "the other node has the tables", func() bool { return other.Ping(t.Context()) == nil })
	for job := range 5 {
		exp := returners.Expectation{JID: returnertest.JID(job), Missing: map[string]string{"m": "Not connected"}}
		behind(t, cluster[0])
		if err := st.SaveExpectations(t.Context(), []returners.Expectation{exp}); err != nil {
			t.Fatal(err)
		}
		// The same process, after a change of node.
		other.absent.Add(exp.JID, struct{}{})
		if err := other.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, job, "m", "test.ping", true)}); err != nil {
			t.Fatal(err)
		}
		got, err := other.GetExpectations(t.Context(), exp.JID)
		if err != nil || len(got) != 1 || len(got[0].Missing) != 0 {
			t.Errorf("job %d: %+v, %v; want nobody missing", job, got, err)
		}
	}
}

// Masters migrate Salt's tables, which have no primary key, at once through different nodes,
// and write the same rows. All nodes have equal tables afterwards.
func TestGalera_MigrateAndWriteThroughTwoNodes(t *testing.T) {
	cluster := mysqltest.StartCluster(t, 2)
	name := saltDatabase(t, cluster[0], saltDDL)
	var wg sync.WaitGroup
	for master := range 4 {
		st := open(t, cluster[master%2], name)
		wg.Go(func() {
			for job := range 10 {
				var rets []returners.Return
				for m := range 20 {
					rets = append(rets, returnertest.Return(t, 100+job, returnertest.Minion(m), "test.echo", fmt.Sprint(job, m)))
				}
				ok := waiting.Became(30*time.Second, func() bool { return st.SaveReturns(t.Context(), rets) == nil })
				if !ok {
					t.Errorf("master %d: %v", master, st.SaveReturns(t.Context(), rets))
				}
			}
		})
	}
	wg.Wait()
	checkMigrated(t, open(t, cluster[1], name), cluster[1].Open(t, name))
	var sums []string
	for _, s := range cluster {
		db := s.Open(t, name)
		db.SetMaxOpenConns(1)
		if _, err := db.ExecContext(t.Context(), "SET SESSION wsrep_sync_wait = 1"); err != nil {
			t.Fatal(err)
		}
		var sum []string
		for _, table := range []string{"jids", "salt_returns", "salt_events", "mom_jobs", "mom_duplicates"} {
			var rows, check int64
			if err := db.QueryRowContext(t.Context(), "CHECKSUM TABLE "+table).Scan(&table, &check); err != nil {
				t.Fatal(err)
			}
			rows = returnertest.Count(t, db, "SELECT COUNT(*) FROM "+table)
			sum = append(sum, fmt.Sprintf("%s: %d rows, checksum %d", table, rows, check))
		}
		sums = append(sums, strings.Join(sum, "\n"))
	}
	if sums[0] != sums[1] {
		t.Errorf("the nodes differ:\n%s\n\n%s", sums[0], sums[1])
	}
}
