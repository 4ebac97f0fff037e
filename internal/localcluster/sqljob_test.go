package localcluster_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners/mysql/mysqltest"
)

// Three masters write one job into one MariaDB. The row of the job is the same in every order
// of writers, in Salt's form, and does not present a part of the minions as all. The expected
// minions are in mom_expected. Four minions below a top and two nodes, ten jobs.
func TestJobInSQLIsTheSameWhoeverWritesIt(t *testing.T) {
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
	err = s.plant(ctx, t, staying(localcluster.Spec{ID: "top", Master: conf, Minions: []string{"top-01"}, Nodes: []localcluster.Spec{
		{ID: "paris", Master: conf, Minions: []string{"paris1", "paris2"}}, {ID: "rome", Master: conf, Minions: []string{"rome1"}},
	}}))
	if err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	for range 10 {
		shown, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
		if err != nil || !strings.Contains(shown, "expected=4 returned=4") {
			s.dump(t)
			t.Fatalf("%s%v", shown, err)
		}
		jid := s.last
		waiting.UntilDone(ctx, t, "all of the job in SQL", func() bool {
			var expected, nodes int
			err := db.QueryRowContext(ctx, "SELECT (SELECT COUNT(*) FROM mom_expected WHERE jid = ? AND missing IS NULL), (SELECT COUNT(*) FROM mom_nodes WHERE jid = ?)", jid, jid).Scan(&expected, &nodes)
			return err == nil && expected == 4 && nodes == 3
		})
		var load string
		if err := db.QueryRowContext(ctx, "SELECT `load` FROM jids WHERE jid = ?", jid).Scan(&load); err != nil {
			t.Fatal(err)
		}
		fields := map[string]any{}
		if err := json.Unmarshal([]byte(load), &fields); err != nil {
			t.Fatal(err)
		}
		want := []string{"arg", "cmd", "fun", "jid", "kwargs", "ret", "tgt", "tgt_type", "user"}
		if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) || fields["user"] != "root" || fields["tgt"] != "*" {
			t.Errorf("job %s: %s", jid, load)
		}
	}
}
