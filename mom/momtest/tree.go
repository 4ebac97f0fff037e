package momtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/topology"
)

// Tree is a tree whose members run, each a process of the built program.
type Tree struct {
	Dir     string // of all members, each in a folder named by its id
	Cluster *localcluster.Cluster
	procs   map[string]*localcluster.Process
}

var (
	programDir string
	// program is built when the first test needs it, without the race detector: nothing here
	// reads the consoles of daemons. The tests of internal/localcluster look for races there.
	program = sync.OnceValues(func() (string, error) { return Build(programDir, "mom") })
	// shared serves all tests that do not break it.
	shared     = &Tree{}
	growShared = sync.OnceValue(func() error {
		return grow(shared, "top: top-01\n  syndic-a: web-01 web-02\n    syndic-c: db-01\n")
	})
)

// Trees is Main for packages whose tests use the built program or trees: it is built
// when the first test asks for it, and the tree of [Shared] is stopped at the end.
func Trees(m *testing.M) {
	os.Exit(run(m, func(dir string) error { programDir = dir; return nil }, shared.stop))
}

// Process is a command line to be run as a process of the built program; its first
// word is the name that the program is called by.
func Process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args[1:]...)
	cmd.Args[0] = args[0]
	return cmd
}

// Shared gives a tree of three tiers for tests that do not break it: top with the
// minion top-01, below it syndic-a with web-01 and web-02, below that syndic-c with
// db-01.
func Shared(t *testing.T) *Tree {
	t.Helper()
	if err := growShared(); err != nil {
		t.Fatal(err)
	}
	return shared
}

// Own grows a tree for one test, from a drawing as [localcluster.Parse] reads it. Before
// its members start each of change may change what they find.
func Own(t *testing.T, drawing string, change ...func(*localcluster.Cluster)) *Tree {
	t.Helper()
	tr := &Tree{}
	t.Cleanup(func() {
		if err := tr.stop(); err != nil {
			t.Error(err)
		}
	})
	if err := grow(tr, drawing, change...); err != nil {
		t.Fatal(err)
	}
	return tr
}

func grow(tr *Tree, drawing string, change ...func(*localcluster.Cluster)) error {
	spec, err := localcluster.Parse(drawing)
	if err != nil {
		return err
	}
	exe, err := program()
	if err != nil {
		return err
	}
	if tr.Dir, err = os.MkdirTemp("", "mom"); err != nil {
		return err
	}
	spec.Master = "nodegroups:\n  webs: web-*\n  pair: L@top-01,web-01\n"
	if tr.Cluster, err = localcluster.Plant(tr.Dir, spec); err != nil {
		return err
	}
	for _, c := range change {
		c(tr.Cluster)
	}
	tr.procs = map[string]*localcluster.Process{}
	for _, m := range tr.Cluster.Members {
		if tr.procs[m.ID], err = localcluster.Start(exe, m); err != nil {
			return err
		}
	}
	nodes, minions := spec.Count()
	return tr.await(func(n topology.Node) bool {
		below, leaves, up := n.Count()
		return below == nodes-1 && leaves == minions && up == minions
	})
}

// await asks the top for its tree until it is as wanted.
func (tr *Tree) await(as func(topology.Node) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	var err error
	if !waiting.BecameBy(ctx, func() bool {
		var n topology.Node
		n, err = ask(ctx, tr.Conf("top"))
		return err == nil && as(n)
	}) {
		return errors.Join(fmt.Errorf("the tree is not as expected; logs are in %s", tr.Dir), err)
	}
	return nil
}

// ask asks as a command does, with a client of its own.
func ask(ctx context.Context, dir string) (n topology.Node, err error) {
	cl, err := client.Open(dir)
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, cl.Close()) }()
	return cl.Tree(ctx)
}

func (tr *Tree) stop() error {
	if tr.Dir == "" {
		return nil
	}
	var ps []*localcluster.Process
	for _, p := range tr.procs {
		if p != nil {
			ps = append(ps, p)
		}
	}
	return errors.Join(localcluster.StopAll(ps, 20*time.Second), os.RemoveAll(tr.Dir))
}

// End ends a member without warning.
func (tr *Tree) End(t *testing.T, id string) {
	t.Helper()
	if err := tr.procs[id].Kill(); err != nil {
		t.Fatal(err)
	}
	tr.procs[id] = nil
}

// Kill ends a member without warning and waits until the top sees it.
func (tr *Tree) Kill(t *testing.T, id string) {
	t.Helper()
	tr.End(t, id)
	if id == "top" {
		return // nobody is left to ask
	}
	err := tr.await(func(n topology.Node) bool {
		down := false
		n.Walk(func(_ string, c topology.Node) {
			down = down || (c.ID == id && c.State == topology.Down)
			for _, m := range c.Minions {
				down = down || (m.ID == id && m.State == topology.Down)
			}
		})
		return down
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Conf is the configuration folder of a member.
func (tr *Tree) Conf(id string) string { return filepath.Join(tr.Dir, id, "conf") }

// Run runs a new command in this process at a member of the tree.
func (tr *Tree) Run(c *cobra.Command, id string, args ...string) Ran {
	return Run(c, "", append([]string{"-c", tr.Conf(id)}, args...)...)
}
