package localcluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
)

// pki returns the directory of a master's keys.
func pki(m localcluster.Member) string { return filepath.Join(m.Dir, "etc/salt/pki/master") }

// unite makes one cluster of the two tops: each accepts and admits the other's key, as an operator
// does, and names its address.
func (x *twoTops) unite(ctx context.Context, t *testing.T) {
	t.Helper()
	both := []*stand{x.one, x.two}
	for i, s := range both {
		top, other := s.cluster.Top(), both[1-i].cluster.Top()
		pub, err := os.ReadFile(filepath.Join(pki(other), "master.pub"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(pki(top), "minions", other.ID), pub, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := admitted.Tops.Admit(pki(top), other.ID); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(top.ConfDir, "master"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(f, "\ncluster_id: both\ncluster_peers: ['127.0.0.1:%d']\n", other.RetPort); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.procs[top.ID].Stop(ctx); err != nil {
			t.Fatal(err)
		}
		x.start(t, s)
	}
	for _, s := range both {
		x.ready(ctx, t, s)
	}
	for i, s := range both { // until the link of each stands
		waiting.UntilDone(ctx, t, "a job of one top at the other", func() bool {
			x.ping(ctx, t, s)
			return x.holds(ctx, both[1-i], s.last)
		})
	}
}

func (x *twoTops) start(t *testing.T, s *stand) {
	t.Helper()
	top := s.cluster.Top()
	p, err := localcluster.Start(program, top)
	if err != nil {
		t.Fatal(err)
	}
	s.procs[top.ID] = p
}

// holds reports whether a top has a job in its store.
func (x *twoTops) holds(ctx context.Context, s *stand, jid string) bool {
	db, err := s.store(s.cluster.Top().ID)
	if err != nil {
		return false
	}
	defer db.Close()
	n := 0
	return db.QueryRowContext(ctx, "SELECT count(*) FROM jids WHERE jid = ?", jid).Scan(&n) == nil && n == 1
}

// whole waits until a top has both returns of a job, each once, and no open account of it.
func (x *twoTops) whole(ctx context.Context, t *testing.T, s *stand, jid string) {
	t.Helper()
	s.last = jid
	waiting.UntilDone(ctx, t, "the job "+jid+" at "+s.cluster.Top().ID, func() bool {
		got, err := s.rows(ctx, t, s.cluster.Top().ID)
		if err != nil || !eachOnce(got, twoTopsTree) {
			return false
		}
		v, err := s.client.Runner(ctx, "jobs.active")
		m, bad := v.Map()
		return err == nil && bad == nil && !m.Has(jid)
	})
}

// TestTwoTops_AsOne: two tops of one cluster. Both have each job and its returns. A top that
// is killed during its job loses nothing: the other one ends the job, and both have the returns after a restart.
// A top that missed a job answers for it although the top that started it has restarted since.
func TestTwoTops_AsOne(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	x := plantTwoTops(ctx, t, "", "")
	t.Cleanup(func() {
		if t.Failed() {
			x.dump(t)
		}
	})
	x.unite(ctx, t)
	for _, s := range []*stand{x.one, x.two} {
		x.ping(ctx, t, s)
		jid := s.last
		x.whole(ctx, t, x.one, jid)
		x.whole(ctx, t, x.two, jid)
	}

	p, err := x.one.client.Publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.sleep"}, Args: []any{5}})
	if err != nil {
		t.Fatal(err)
	}
	// It has the job when it is published, unless it needs longer than the 300 ms that a publication waits for it.
	waiting.UntilDone(ctx, t, "the job at the other top", func() bool { return x.holds(ctx, x.two, p.JID) })
	if err := x.one.procs["top-1"].Kill(); err != nil {
		t.Fatal(err)
	}
	x.whole(ctx, t, x.two, p.JID)
	x.ping(ctx, t, x.two)
	while := x.two.last
	x.start(t, x.one)
	x.ready(ctx, t, x.one)
	x.whole(ctx, t, x.one, p.JID)
	x.whole(ctx, t, x.one, while) // started while it was away
	if err := x.two.procs["top-2"].Kill(); err != nil {
		t.Fatal(err)
	}
	x.ping(ctx, t, x.one)
	missed := x.one.last
	if err := x.one.procs["top-1"].Kill(); err != nil { // with what waits for the other top
		t.Fatal(err)
	}
	x.start(t, x.two)
	x.start(t, x.one)
	for _, s := range []*stand{x.two, x.one} {
		x.ready(ctx, t, s)
	}
	waiting.UntilDone(ctx, t, "a job that a top missed, asked there", func() bool {
		return x.lookup(ctx, x.two, missed) == x.lookup(ctx, x.one, missed) && x.lookup(ctx, x.two, missed) == "* test.ping, 2 minions, 2 returns"
	})
}

// lookup describes a job as a top shows it.
func (x *twoTops) lookup(ctx context.Context, s *stand, jid string) string {
	v, err := s.client.Runner(ctx, "jobs.list_job", jid)
	if err != nil {
		return err.Error()
	}
	m, err := v.Map()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %s, %d minions, %d returns", m.String("Target"), m.String("Function"), len(m.Strings("Minions")), m.Map("Result").Len())
}
