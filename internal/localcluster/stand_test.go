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
	"github.com/momtree/mom/topology"
)

// stand is a tree of running processes.
type stand struct {
	dir     string
	spec    localcluster.Spec
	cluster *localcluster.Cluster
	procs   map[string]*localcluster.Process
	client  *client.Client
	last    string // jid
	// planted, if set, is called when the directories exist and nothing runs.
	planted func()
}

func (s *stand) grow(ctx context.Context, t *testing.T, drawing string) error {
	spec, err := localcluster.Parse(drawing)
	if err != nil {
		return err
	}
	return s.plant(ctx, t, staying(spec))
}

// staying keeps every minion and node where it is drawn, whatever dies: what a sibling takes
// over depends on the timing, and has tests of its own.
func staying(n localcluster.Spec) localcluster.Spec {
	n.Master += "rehome: False\n"
	nodes := make([]localcluster.Spec, len(n.Nodes))
	for i, c := range n.Nodes {
		nodes[i] = staying(c)
	}
	n.Nodes = nodes
	return n
}

func (s *stand) plant(ctx context.Context, t *testing.T, spec localcluster.Spec) (err error) {
	dir, err := os.MkdirTemp("", "mg") // short: a socket path has at most 107 bytes
	if err != nil {
		return err
	}
	s.dir = dir
	if s.cluster, err = localcluster.Plant(dir, spec); err != nil {
		return err
	}
	if s.planted != nil {
		s.planted()
	}
	s.procs = map[string]*localcluster.Process{}
	for _, m := range s.cluster.Members {
		if s.procs[m.ID], err = localcluster.Start(program, m); err != nil {
			return err
		}
	}
	if s.client, err = client.Open(s.cluster.Top().ConfDir); err != nil {
		return err
	}
	s.spec = spec
	if s.planted != nil {
		return s.await(ctx, func(n topology.Node) bool { return len(n.Nodes) == len(spec.Nodes) })
	}
	return s.settle(ctx)
}

// settle waits until every node and minion is up.
func (s *stand) settle(ctx context.Context) error {
	nodes, minions := s.spec.Count()
	return s.await(ctx, func(n topology.Node) bool {
		below, leaves, up := 0, 0, 0
		n.Walk(func(path string, c topology.Node) {
			if path != "" && c.State == topology.Up {
				below++
			}
			for _, m := range c.Minions {
				leaves++
				if m.State == topology.Up {
					up++
				}
			}
		})
		return below == nodes-1 && leaves == minions && up == minions
	})
}

// change kills, stops or starts a member and waits until the top sees it.
func (s *stand) change(ctx context.Context, how, id string) (err error) {
	want := topology.Down
	switch how {
	case "crash":
		err = s.procs[id].Kill()
	case "stop":
		err = s.procs[id].Stop(ctx)
	case "heal":
		m, _ := s.cluster.Find(id)
		s.procs[id], err = localcluster.Start(program, m)
		want = topology.Up
	}
	if err != nil {
		return err
	}
	if id == s.cluster.Top().ID && how != "heal" {
		return nil // no member is left to ask
	}
	return s.await(ctx, func(n topology.Node) bool { return stateOf(n, id) == want })
}

// stateOf returns the state of a member; it is unknown behind a node that is down.
func stateOf(n topology.Node, id string) topology.State {
	if n.ID == id {
		return n.State
	}
	for _, m := range n.Minions {
		if m.ID == id {
			return m.State
		}
	}
	for _, c := range n.Nodes {
		if st := stateOf(c, id); st != "" {
			if c.State == topology.Down && c.ID != id {
				return topology.Unknown
			}
			return st
		}
	}
	return ""
}

func (s *stand) tree(ctx context.Context) (topology.Node, error) { return s.client.Tree(ctx) }

// await requests the tree until it is as wanted.
func (s *stand) await(ctx context.Context, as func(topology.Node) bool) error {
	var last string
	if !waiting.BecameBy(ctx, func() bool {
		n, err := s.tree(ctx)
		if err == nil && as(n) {
			return true
		}
		if err == nil {
			var b strings.Builder
			_ = topology.Draw(&b, n, topology.DrawOptions{}) // into memory
			last = b.String()
		} else if ctx.Err() == nil {
			last = err.Error()
		}
		return false
	}) {
		return fmt.Errorf("the tree did not become as wanted; last: %s", last)
	}
	return nil
}

// hear subscribes to the events of the top until the test ends.
func (s *stand) hear(ctx context.Context, t *testing.T) *client.Subscription {
	t.Helper()
	events, err := s.client.Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = events.Close() })
	return events
}

// fell stops all processes and searches their consoles for errors.
func (s *stand) fell(t *testing.T) {
	var ps []*localcluster.Process
	for _, p := range s.procs {
		ps = append(ps, p)
	}
	if err := localcluster.StopAll(ps, 30*time.Second); err != nil {
		t.Error(err)
	}
	if s.client != nil {
		if err := s.client.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, p := range ps {
		b, err := os.ReadFile(filepath.Join(p.Dir, "console"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, bad := range []string{"DATA RACE", "panic", "goroutine "} {
			if strings.Contains(string(b), bad) {
				t.Errorf("%s: %q in its console:\n%s", p.ID, bad, b)
			}
		}
	}
	if t.Failed() && os.Getenv("MOM_KEEP_FAILED") != "" {
		t.Logf("kept: %s", s.dir)
		return
	}
	if err := os.RemoveAll(s.dir); err != nil {
		t.Error(err)
	}
}

// dump shows the consoles of a failed tree.
func (s *stand) dump(t *testing.T) {
	if s.cluster == nil {
		return
	}
	for _, m := range s.cluster.Members {
		b, err := os.ReadFile(filepath.Join(m.Dir, "console"))
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		t.Logf("%s:\n%s", m.ID, strings.Join(lines[max(0, len(lines)-25):], "\n"))
	}
}
