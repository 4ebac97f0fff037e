package localcluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners/mysql/mysqltest"
	"github.com/momtree/mom/topology"
)

// twoTops is a node with two minions below two tops, each with its own keys and a master_id
// that no entry of syndic_master contains.
type twoTops struct {
	one, two *stand
}

const twoTopsTree = 2 // minions

// plantTwoTops starts it; the lines are added to the configurations of the tops and the node.
func plantTwoTops(ctx context.Context, t *testing.T, tops, node string) *twoTops {
	t.Helper()
	x := &twoTops{one: &stand{}, two: &stand{}}
	t.Cleanup(func() { x.two.fell(t); x.one.fell(t) })
	if err := x.two.plant(ctx, t, localcluster.Spec{ID: "top-2", Master: "order_masters: True\nmaster_id: the second\n" + tops}); err != nil {
		t.Fatal(err)
	}
	x.one.planted = func() {
		n, _ := x.one.cluster.Find("node")
		file := filepath.Join(n.ConfDir, "master")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, l := range strings.Split(string(b), "\n") {
			if !strings.HasPrefix(l, "syndic_master") {
				lines = append(lines, l)
			}
		}
		lines = append(lines, fmt.Sprintf("syndic_master: ['127.0.0.1:%d', '127.0.0.1:%d']", x.one.cluster.Top().RetPort, x.two.cluster.Top().RetPort))
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		pub, err := os.ReadFile(filepath.Join(n.Dir, "etc/salt/pki/minion/minion.pub"))
		if err != nil {
			t.Fatal(err)
		}
		accepted := filepath.Join(x.two.cluster.Top().Dir, "etc/salt/pki/master/minions")
		if err := os.MkdirAll(accepted, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(accepted, "node"), pub, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec := localcluster.Spec{ID: "top-1", Master: "master_id: the first\n" + tops, Nodes: []localcluster.Spec{
		{ID: "node", Minions: []string{"web-1", "web-2"}, Master: "syndic_failover: ordered\nsyndic_failover_after: 2\n" + node},
	}}
	if err := x.one.plant(ctx, t, spec); err != nil {
		x.dump(t)
		t.Fatal(err)
	}
	for _, s := range []*stand{x.one, x.two} {
		x.ready(ctx, t, s)
	}
	return x
}

func (x *twoTops) dump(t *testing.T) { x.one.dump(t); x.two.dump(t) }

// ready waits until a top sees the node and its minions.
func (x *twoTops) ready(ctx context.Context, t *testing.T, s *stand) {
	t.Helper()
	if err := s.await(ctx, func(n topology.Node) bool { return stateOf(n, "node") == topology.Up && upAt(n, "node") == twoTopsTree }); err != nil {
		x.dump(t)
		t.Fatal(err)
	}
}

// ping runs a job at one top until it ends.
func (x *twoTops) ping(ctx context.Context, t *testing.T, s *stand) {
	t.Helper()
	out, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil || !hasLine(out, "expected=2 returned=2 failed=0 missing=0\n") {
		x.dump(t)
		t.Fatalf("%s: %v\n%s", s.cluster.Top().ID, err, out)
	}
}

// TestUsers40788_TwoTops: #40788, #53721, #58193, pains 13, 14 and 15. Two tops have their own
// keys and arbitrary values of master_id. Each gets the returns of its own jobs and no other's;
// one that is down does not slow the other; and a return reaches the top that published the job
// even if the node and that top were killed meanwhile.
func TestUsers40788_TwoTops(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	x := plantTwoTops(ctx, t, "", "")
	var jids [2][]string
	for range 5 {
		for i, s := range []*stand{x.one, x.two} {
			x.ping(ctx, t, s)
			jids[i] = append(jids[i], s.last)
		}
	}
	for i, s := range []*stand{x.one, x.two} {
		for k := range jids {
			for _, jid := range jids[k] {
				s.last = jid
				got, err := s.rows(ctx, t, s.cluster.Top().ID)
				want := k == i
				if err != nil || eachOnce(got, 2) != want {
					t.Errorf("%s, job %s of top %d: %q, %v", s.cluster.Top().ID, jid, k+1, got, err)
				}
			}
		}
	}

	// The node dies in the middle of a job of the second top, and so does that top.
	p, err := x.two.client.Publish(ctx, client.Job{Tgt: "web-1", Fun: []string{"test.sleep"}, Args: []any{4}})
	if err != nil {
		t.Fatal(err)
	}
	waiting.UntilDone(ctx, t, "the job at the node", func() bool {
		db, err := x.one.store("node")
		if err != nil {
			return false
		}
		defer db.Close()
		n := 0
		return db.QueryRowContext(ctx, "SELECT count(*) FROM jids WHERE jid = ?", p.JID).Scan(&n) == nil && n == 1
	})
	for _, at := range []struct {
		s  *stand
		id string
	}{{x.one, "node"}, {x.two, "top-2"}} {
		if err := at.s.procs[at.id].Kill(); err != nil {
			t.Fatal(err)
		}
	}
	m, _ := x.one.cluster.Find("node")
	if x.one.procs["node"], err = localcluster.Start(program, m); err != nil {
		t.Fatal(err)
	}
	x.ready(ctx, t, x.one)
	for range 3 { // pains 15
		x.ping(ctx, t, x.one)
	}
	// The other top accepts the return in place of the one that published.
	x.one.last = p.JID
	waiting.UntilDone(ctx, t, "the return at the other top", func() bool {
		got, err := x.one.rows(ctx, t, "top-1")
		return err == nil && eachOnce(got, 1)
	})
	m, _ = x.two.cluster.Find("top-2")
	if x.two.procs["top-2"], err = localcluster.Start(program, m); err != nil {
		t.Fatal(err)
	}
	x.ready(ctx, t, x.two)
	x.two.last = p.JID
	short, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	t.Cleanup(func() {
		if t.Failed() {
			x.dump(t)
		}
	})
	waiting.UntilDone(short, t, "the return at the top that asked", func() bool {
		got, err := x.two.rows(ctx, t, "top-2")
		return err == nil && eachOnce(got, 1)
	})
	x.ping(ctx, t, x.two)
}

// TestTwoTops_ClusterMode: pains 16. With syndic_mode cluster a waiting client still learns
// which minions it waits for, and that all have answered.
func TestTwoTops_ClusterMode(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	x := plantTwoTops(ctx, t, "", "syndic_mode: cluster\n")
	x.ping(ctx, t, x.one)
	x.ping(ctx, t, x.two)
}

// TestTwoTops_TheSameJob: one jid from both tops runs once, and both get the returns.
func TestTwoTops_TheSameJob(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	x := plantTwoTops(ctx, t, "", "")
	file := filepath.Join(x.one.cluster.Dir, "ran")
	j := client.Job{Tgt: "web-1", Fun: []string{"cmd.run"}, Args: []any{"echo once >> " + file}}
	p, err := x.one.client.Publish(ctx, j)
	if err != nil {
		t.Fatal(err)
	}
	x.one.last, x.two.last = p.JID, p.JID
	waiting.UntilDone(ctx, t, "the return at the first", func() bool {
		got, err := x.one.rows(ctx, t, "top-1")
		return err == nil && eachOnce(got, 1)
	})
	j.JID = p.JID
	if _, err := x.two.client.Publish(ctx, j); err != nil {
		t.Fatal(err)
	}
	waiting.UntilDone(ctx, t, "the return at the second", func() bool {
		got, err := x.two.rows(ctx, t, "top-2")
		return err == nil && eachOnce(got, 1)
	})
	if b, err := os.ReadFile(file); err != nil || string(b) != "once\n" {
		t.Errorf("it ran otherwise than once: %q, %v", b, err)
	}
}

// TestUsers47963_AnyTopReadsAnyJob: #47963. Two tops with one database: each can read the jobs
// of the other.
func TestUsers47963_AnyTopReadsAnyJob(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
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
	_, conf := database(t, server)
	x := plantTwoTops(ctx, t, conf, "")
	x.ping(ctx, t, x.one)
	var last any
	waiting.UntilDone(ctx, t, "the job as the other top reads it", func() bool {
		v, err := x.two.client.Runner(ctx, "jobs.lookup_jid", x.one.last)
		last = v
		m, bad := v.Map()
		return err == nil && bad == nil && m.Len() == 2
	})
	t.Logf("%v", last)
}
