package localcluster_test

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// TestFrozenNode stops a node by SIGSTOP, so that its connections stay open and silent. The top
// sends no PING for ten minutes: it notices the silence by the node's own promise. Checked are
// the tree, the event, a job published before that and one published after; and a node that
// continues works again.
func TestFrozenNode(t *testing.T) {
	t.Parallel() // it waits most of its time
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	spec := staying(localcluster.Spec{ID: "top", Nodes: []localcluster.Spec{
		{ID: "node-a", Minions: []string{"web-1"}}, {ID: "node-b", Minions: []string{"web-2"}},
	}})
	spec.Master += "zmq_heartbeat_ivl: 600000\nzmq_heartbeat_timeout: 600000\n"
	if err := s.plant(ctx, t, spec); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	heard := s.hear(ctx, t)
	await := func(want string) {
		t.Helper()
		for {
			e, err := heard.Next(ctx)
			if err != nil {
				s.dump(t)
				t.Fatalf("waiting for %s: %v", want, err)
			}
			if e.Tag == want {
				if d, err := wire.DecodeMap(e.Data); err != nil || d.String("id") != "node-a" {
					t.Errorf("%s has data %v, %v", want, d, err)
				}
				return
			}
		}
	}
	node := s.procs["node-a"]
	signal := func(sig syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(node.Pid(), sig); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	t.Cleanup(func() { _ = syscall.Kill(node.Pid(), syscall.SIGCONT) }) // otherwise it does not end
	stopped := time.Now()
	for _, when := range []string{"given while nobody knew", "given when it was known"} {
		out, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
		if err != nil || !strings.Contains(out, "web-2") || !hasLine(out, "expected=2 returned=1 failed=0 missing=1\n") {
			s.dump(t)
			t.Fatalf("the job %s: %v\n%s", when, err, out)
		}
		t.Logf("the job %s had ended %v after the stop", when, time.Since(stopped).Round(time.Millisecond))
	}
	await("topology/node/down")
	if err := s.await(ctx, func(n topology.Node) bool { return stateOf(n, "node-a") == topology.Down }); err != nil {
		t.Fatal(err)
	}
	signal(syscall.SIGCONT)
	await("topology/node/up")
	if err := s.settle(ctx); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	out, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil || !hasLine(out, "expected=2 returned=2 failed=0 missing=0\n") {
		s.dump(t)
		t.Fatalf("awake again: %v\n%s", err, out)
	}
}
