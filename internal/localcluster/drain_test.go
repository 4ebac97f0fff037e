package localcluster_test

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/topology"
)

// mom runs a command of the program for a member.
func (s *stand) mom(ctx context.Context, id string, args ...string) (string, error) {
	m, _ := s.cluster.Find(id)
	out, err := exec.CommandContext(ctx, program, append(args, "-c", m.ConfDir)...).CombinedOutput()
	return string(out), err
}

// TestRollingRestart drains and restarts nodes of a tree, one after the other, while jobs run:
// each minion answers, except one in the moment of its move, and each answer is stored once.
// `make slow` restarts every node.
func TestRollingRestart(t *testing.T) {
	t.Parallel() // it waits most of its time
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	nodes := []string{"node-a", "node-b", "node-c"}
	if err := s.plant(ctx, t, homesSpec(3, nodes...)); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	s.haveSiblings(ctx, t)

	load, stop := context.WithCancel(ctx)
	var jids []string
	var wg sync.WaitGroup
	wg.Go(func() {
		for load.Err() == nil {
			if p, err := s.client.Publish(load, client.Job{Tgt: "*", Fun: []string{"test.ping"}}); err == nil {
				jids = append(jids, p.JID)
			}
			select {
			case <-load.Done():
			case <-time.After(300 * time.Millisecond):
			}
		}
	})
	defer wg.Wait()
	defer stop()
	for _, id := range nodes[:restarted] {
		out, err := s.mom(ctx, id, "node", "drain", "--rate", "20")
		t.Logf("%s:\n%s", id, out)
		if err != nil || !strings.Contains(out, "safe to stop") {
			s.dump(t)
			t.Fatalf("drain %s: %v", id, err)
		}
		if err := s.procs[id].Stop(ctx); err != nil {
			t.Fatal(err)
		}
		m, _ := s.cluster.Find(id)
		if s.procs[id], err = localcluster.Start(program, m); err != nil {
			t.Fatal(err)
		}
		if err := s.await(ctx, func(n topology.Node) bool { return stateOf(n, id) == topology.Up }); err != nil {
			t.Fatal(err)
		}
		waiting.UntilDone(ctx, t, id+" to take minions again", func() bool {
			out, err := s.mom(ctx, id, "node", "drain", "--undo")
			return err == nil && strings.Contains(out, "again")
		})
		home := func(n topology.Node) bool { return upAt(n, id) == 3 }
		if err := s.await(ctx, home); err != nil {
			s.dump(t)
			t.Fatal(err)
		}
	}
	stop()
	wg.Wait()
	s.awaitWhole(ctx, t, jids, 9)
}

// onTheMove is the inverse of the share of answers that may be missing because a minion got a
// job from neither of two nodes in the very moment of its move.
const onTheMove = 200

// awaitWhole waits until the top has exactly one return of each of so many minions for each
// job. The top must name a minion that did not get a job.
func (s *stand) awaitWhole(ctx context.Context, t *testing.T, jids []string, minions int) {
	t.Helper()
	limit, stop := context.WithTimeout(ctx, time.Minute) // everything was answered long ago
	defer stop()
	lacking := 0
	for _, jid := range jids {
		s.last = jid
		var rows string
		var err error
		look := func() bool {
			rows, err = s.rows(ctx, t, "top")
			return err == nil && eachOnce(rows, minions)
		}
		if waiting.BecameBy(limit, look) || look() {
			continue
		}
		trace, _ := s.mom(ctx, "top", "trace", jid)
		t.Logf("job %s: %s\n%s", jid, rows, trace)
		top, _, _ := strings.Cut(trace, "├──")
		n := len(strings.Fields(rows))
		lacking += minions - n
		if err != nil || !eachOnce(rows, n) || strings.Count(top, " behind node-") != minions-n {
			t.Errorf("of job %s are not all accounted for once: %v", jid, err)
		}
	}
	t.Logf("%d jobs, %d answers lack", len(jids), lacking)
	if lacking*onTheMove > len(jids)*minions {
		t.Errorf("%d of %d answers lack", lacking, len(jids)*minions)
	}
	if t.Failed() {
		s.dump(t)
	}
}

// TestRebalance evens out a tree that started unbalanced.
func TestRebalance(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	spec := homesSpec(4, "node-a")
	spec.Nodes = append(spec.Nodes, homesSpec(0, "node-b").Nodes...)
	if err := s.plant(ctx, t, spec); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	s.haveSiblings(ctx, t)
	out, err := s.mom(ctx, "top", "node", "rebalance", "--rate", "10", "--timeout", "60s")
	t.Logf("%s", out)
	if err != nil || !strings.Contains(out, "node-a 2, node-b 2") {
		s.dump(t)
		t.Fatalf("rebalance: %v", err)
	}
	out, err = s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil || !hasLine(out, "expected=4 returned=4 failed=0 missing=0\n") {
		t.Errorf("after it: %v\n%s", err, out)
	}
}
