package localcluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/topology"
)

// quickHomes makes moves fast enough for a test.
const quickHomes = "rehome_after: 1\nrehome_failback: 3\n"

// homesSpec is a top with nodes of that many minions each.
func homesSpec(perNode int, nodes ...string) localcluster.Spec {
	top := localcluster.Spec{ID: "top"}
	for _, id := range nodes {
		n := localcluster.Spec{ID: id, Minion: quickHomes}
		for i := range perNode {
			n.Minions = append(n.Minions, fmt.Sprintf("%s-m%d", id, i))
		}
		top.Nodes = append(top.Nodes, n)
	}
	return top
}

// upAt counts the minions that are up at a node.
func upAt(n topology.Node, id string) int {
	up := 0
	n.Walk(func(_ string, c topology.Node) {
		if c.ID != id || c.State == topology.Down {
			return
		}
		for _, m := range c.Minions {
			if m.State == topology.Up {
				up++
			}
		}
	})
	return up
}

// haveSiblings waits until all minions know their siblings.
func (s *stand) haveSiblings(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, m := range s.cluster.Members {
		if m.Kind != localcluster.Minion || m.Path == "top" {
			continue
		}
		waiting.UntilDone(ctx, t, "the siblings at "+m.ID, func() bool { return knowsSiblings(m) })
	}
}

// TestSiblings_KnownWithoutAskingAgain: all minions of a tree that starts at once know their
// siblings, although none of them makes a second periodic request. Some ask before their node
// knows.
func TestSiblings_KnownWithoutAskingAgain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	spec := homesSpec(2, "node-a", "node-b", "node-c")
	for i := range spec.Nodes {
		spec.Nodes[i].Minion = "rehome_after: 3600\n"
	}
	if err := s.plant(ctx, t, spec); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	s.haveSiblings(ctx, t)
}

// TestRehome_ANodeDies: the minions of a killed node answer through its sibling, none is
// reported missing, and they go home when the node is back.
func TestRehome_ANodeDies(t *testing.T) {
	t.Parallel() // it waits most of its time
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	if err := s.plant(ctx, t, homesSpec(2, "node-a", "node-b", "node-c")); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	s.haveSiblings(ctx, t)
	if err := s.procs["node-a"].Kill(); err != nil {
		t.Fatal(err)
	}
	moved := func(n topology.Node) bool { return upAt(n, "node-b")+upAt(n, "node-c") == 6 }
	if err := s.await(ctx, moved); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	all := "expected=6 returned=6 failed=0 missing=0\n"
	out, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("while node-a is away:\n%s", out)
	if !hasLine(out, all) || strings.Contains(out, "named as missing") {
		t.Errorf("while node-a is away:\n%s", out)
	}
	m, _ := s.cluster.Find("node-a")
	if s.procs["node-a"], err = localcluster.Start(program, m); err != nil {
		t.Fatal(err)
	}
	home := func(n topology.Node) bool {
		return upAt(n, "node-a") == 2 && upAt(n, "node-b") == 2 && upAt(n, "node-c") == 2
	}
	if err := s.await(ctx, home); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	if out, err = s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}}); err != nil || !hasLine(out, all) {
		t.Errorf("at home again: %v\n%s", err, out)
	}
	if got, err := s.awaitRows(ctx, t, "top", ""); err != nil || !eachOnce(got, 6) {
		t.Errorf("rows %q, %v", got, err)
	}
}
