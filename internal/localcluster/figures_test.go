//go:build figures

package localcluster_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/topology"
)

// These tests only measure; others check correctness. Run them by `make figures`, on an
// otherwise idle machine.

// reference is the shape in which Salt's own tree was measured: a top with one minion, two
// syndics, five minions below them.
const reference = "top: top-01\n  syn-a: web-01 web-02 web-03\n  syn-b: db-01 db-02\n"

func figures(t *testing.T, drawing string, limit time.Duration) (context.Context, *stand) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	if err := s.grow(ctx, t, drawing); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	return ctx, s
}

func median(ds []time.Duration) string {
	slices.Sort(ds)
	return fmt.Sprintf("median %v, least %v, most %v of %d", ds[len(ds)/2].Round(10*time.Microsecond), ds[0].Round(10*time.Microsecond), ds[len(ds)-1].Round(10*time.Microsecond), len(ds))
}

func TestFigures_Ping(t *testing.T) {
	ctx, s := figures(t, reference, 5*time.Minute)
	var inside, outside []time.Duration
	for range 50 {
		at := time.Now()
		shown, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
		if err != nil || !strings.Contains(shown, "returned=6 failed=0 missing=0") {
			t.Fatal(shown, err)
		}
		inside = append(inside, time.Since(at))
	}
	for range 20 {
		at := time.Now()
		cmd := exec.CommandContext(ctx, program, "-c", s.cluster.Top().ConfDir, "*", "test.ping")
		cmd.Args[0] = "salt"
		if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "True") != 6 {
			t.Fatalf("%v %s", err, out)
		}
		outside = append(outside, time.Since(at))
	}
	t.Logf("salt '*' test.ping at the top, 6 minions: until the last answer %s", median(inside))
	t.Logf("salt '*' test.ping at the top, 6 minions: the whole command %s", median(outside))
}

func TestFigures_RestartedTop(t *testing.T) {
	ctx, s := figures(t, reference, 5*time.Minute)
	var took []time.Duration
	for range 10 {
		if err := s.procs["top"].Kill(); err != nil {
			t.Fatal(err)
		}
		at := time.Now()
		var err error
		if s.procs["top"], err = localcluster.Start(program, s.cluster.Top()); err != nil {
			t.Fatal(err)
		}
		for {
			soon, cancel := context.WithTimeout(ctx, 5*time.Second)
			shown, err := s.publish(soon, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
			cancel()
			if err == nil && strings.Contains(shown, "returned=6 failed=0 missing=0") {
				break
			}
			if ctx.Err() != nil {
				t.Fatal(shown, err)
			}
		}
		took = append(took, time.Since(at))
	}
	t.Logf("from the start of a killed top to a complete test.ping of 6 minions through 2 syndics: %s", median(took))
}

// rowsAt counts returns in the job store of a node.
func (s *stand) rowsAt(ctx context.Context, t *testing.T, node string, jids []string) (rows int) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.cluster.Dir, node, "var/cache/salt/master/jobs.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, jid := range jids {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM salt_returns WHERE jid = ?", jid).Scan(&n); err != nil {
			return -1
		}
		rows += n
	}
	return rows
}

func TestFigures_KillsOfASyndic(t *testing.T) {
	ctx, s := figures(t, reference, 20*time.Minute)
	var jids []string
	for range 20 {
		p, err := s.client.Publish(ctx, client.Job{Tgt: "*", Fun: []string{"cmd.run"}, Args: []any{"sleep 1; echo done"}})
		if err != nil {
			t.Fatal(err)
		}
		jids = append(jids, p.JID)
		wait(ctx, time.Duration(rand.IntN(1800))*time.Millisecond)
		if err := s.procs["syn-a"].Kill(); err != nil {
			t.Fatal(err)
		}
		wait(ctx, time.Duration(rand.IntN(1500))*time.Millisecond)
		if err := s.change(ctx, "heal", "syn-a"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.settle(ctx); err != nil {
		t.Fatal(err)
	}
	end, rows := time.Now().Add(90*time.Second), 0
	for rows != 6*len(jids) && time.Now().Before(end) {
		wait(ctx, 200*time.Millisecond)
		rows = s.rowsAt(ctx, t, "top", jids)
	}
	t.Logf("20 kills of a syndic node, each during a job of 6 minions: %d of %d returns at the top, %d lost", rows, 6*len(jids), 6*len(jids)-rows)
}

func TestFigures_TopAway(t *testing.T) {
	ctx, s := figures(t, "top: top-01\n  syn-a: web-01\n  syn-b: db-01\n", 20*time.Minute)
	for _, away := range []time.Duration{12 * time.Second, 100 * time.Second} {
		p, err := s.client.Publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.sleep"}, Args: []any{6}})
		if err != nil {
			t.Fatal(err)
		}
		wait(ctx, 2500*time.Millisecond)
		if err := s.procs["top"].Stop(ctx); err != nil {
			t.Fatal(err)
		}
		wait(ctx, away)
		at := time.Now()
		if s.procs["top"], err = localcluster.Start(program, s.cluster.Top()); err != nil {
			t.Fatal(err)
		}
		for s.rowsAt(ctx, t, "top", []string{p.JID}) != 3 && time.Since(at) < 60*time.Second {
			wait(ctx, 50*time.Millisecond)
		}
		t.Logf("top away for %v during a job of 3 minions: %d of 3 returns, %v after its start", away, s.rowsAt(ctx, t, "top", []string{p.JID}), time.Since(at).Round(10*time.Millisecond))
	}
}

func TestFigures_EventsPerEvent(t *testing.T) {
	ctx, s := figures(t, "top:\n  mid:\n    low: m-01\n", 5*time.Minute)
	b := s.hear(ctx, t)
	const fired = 20
	for i := range fired {
		if _, err := s.publish(ctx, client.Job{Tgt: "m-01", Fun: []string{"event.send"}, Args: []any{"figures/" + strconv.Itoa(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	tags := map[string]int{}
	for {
		soon, cancel := context.WithTimeout(ctx, 3*time.Second)
		e, err := b.Next(soon)
		cancel()
		if err != nil {
			break
		}
		if strings.Contains(e.Tag, "figures/") {
			tags[e.Tag]++
		}
	}
	n := 0
	for _, k := range tags {
		n += k
	}
	t.Logf("%d events fired by a minion two nodes below the top: %d at the top, under %d names (own tag and syndic/<id>/<tag>)", fired, n, len(tags))
}

func resident(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

func TestFigures_MemoryWithoutParent(t *testing.T) {
	const minions = 200
	minutes := 10
	if v, err := strconv.Atoi(os.Getenv("MINUTES")); err == nil {
		minutes = v
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(minutes+10)*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	var sw *swarm
	s.planted = func() { sw = newSwarm(t, s.cluster, "node", minions, 500*time.Millisecond) }
	if err := s.plant(ctx, t, localcluster.Spec{ID: "top", Nodes: []localcluster.Spec{{ID: "node"}}}); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	sw.start(t, s.cluster, "node")
	if err := s.await(ctx, func(n topology.Node) bool { _, _, up := n.Count(); return up == minions }); err != nil {
		t.Fatal(err)
	}
	node, _ := s.cluster.Find("node")
	local, err := client.Open(node.ConfDir)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	before := resident(s.procs["node"].Pid())
	if err := s.procs["top"].Kill(); err != nil {
		t.Fatal(err)
	}
	most, jobs := before, 0
	for end := time.Now().Add(time.Duration(minutes) * time.Minute); time.Now().Before(end); {
		if _, err := local.Publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}}); err != nil {
			t.Fatal(err)
		}
		jobs++
		wait(ctx, 500*time.Millisecond)
		most = max(most, resident(s.procs["node"].Pid()))
	}
	t.Logf("parent away for %d minutes, %d jobs and %d returns at the node meanwhile: %d MiB before, at most %d MiB", minutes, jobs, sw.given.Load(), before>>20, most>>20)
	at := time.Now()
	if s.procs["top"], err = localcluster.Start(program, s.cluster.Top()); err != nil {
		t.Fatal(err)
	}
	db, err := s.store("top")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for {
		var n int64
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM salt_returns").Scan(&n); err == nil && n >= sw.given.Load() {
			t.Logf("all %d returns are at the top %v after its start", n, time.Since(at).Round(100*time.Millisecond))
			return
		}
		if ctx.Err() != nil {
			t.Fatal("the returns did not come up")
		}
		wait(ctx, 100*time.Millisecond)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
