package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/grove"
	"github.com/momtree/mom/topology"
)

// patience bounds each wait for a tree.
const patience = 60 * time.Second

// standing is a tree whose members run.
type standing struct {
	once  sync.Once
	err   error
	dir   string
	grove *grove.Grove
	procs map[string]*grove.Process
}

// commonTree serves all tests that do not break it.
var commonTree standing

func sharedTree(t *testing.T) *standing {
	t.Helper()
	commonTree.once.Do(func() {
		commonTree.err = commonTree.grow("top: top-01\n  syndic-a: web-01 web-02\n    syndic-c: db-01\n")
	})
	if commonTree.err != nil {
		t.Fatal(commonTree.err)
	}
	return &commonTree
}

// ownTree grows a tree for one test.
func ownTree(t *testing.T, drawing string) *standing {
	t.Helper()
	tr := &standing{}
	t.Cleanup(func() {
		if err := tr.stop(); err != nil {
			t.Error(err)
		}
	})
	if err := tr.grow(drawing); err != nil {
		t.Fatal(err)
	}
	return tr
}

func (tr *standing) grow(drawing string) (err error) {
	spec, err := grove.Parse(drawing)
	if err != nil {
		return err
	}
	if tr.dir, err = os.MkdirTemp("", "mom"); err != nil {
		return err
	}
	spec.Master = "nodegroups:\n  webs: web-*\n  pair: L@top-01,web-01\n"
	if tr.grove, err = grove.Plant(tr.dir, spec); err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	tr.procs = map[string]*grove.Process{}
	for _, m := range tr.grove.Members {
		if tr.procs[m.ID], err = grove.Start(exe, m); err != nil {
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
func (tr *standing) await(as func(topology.Node) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conf, _, err := config.LoadMaster(tr.conf("top"))
	if err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := fetchTree(ctx, conf)
		if err == nil && as(n) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("the tree is not as expected; logs are in %s", tr.dir), err)
		}
	}
}

func (tr *standing) stop() error {
	if tr.dir == "" {
		return nil
	}
	var ps []*grove.Process
	for _, p := range tr.procs {
		if p != nil {
			ps = append(ps, p)
		}
	}
	return errors.Join(grove.StopAll(ps, 20*time.Second), os.RemoveAll(tr.dir))
}

// end ends a member without warning.
func (tr *standing) end(t *testing.T, id string) {
	t.Helper()
	if err := tr.procs[id].Kill(); err != nil {
		t.Fatal(err)
	}
	tr.procs[id] = nil
}

// kill ends a member without warning and waits until the top sees it.
func (tr *standing) kill(t *testing.T, id string) {
	t.Helper()
	tr.end(t, id)
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

// conf is the configuration folder of a member.
func (tr *standing) conf(id string) string { return filepath.Join(tr.dir, id, "conf") }

// ran is what a command did.
type ran struct {
	code     int
	out, err string
}

func (r ran) String() string {
	return fmt.Sprintf("exit %d\n--stdout--\n%s\n--stderr--\n%s", r.code, r.out, r.err)
}

// runLine runs a command in this process.
func runLine(in string, args ...string) ran {
	var out, errOut bytes.Buffer
	code := run(args, strings.NewReader(in), &out, &errOut)
	return ran{code, out.String(), errOut.String()}
}

// salt runs the command salt at a node.
func (tr *standing) salt(node string, args ...string) ran {
	return runLine("", append([]string{"salt", "-c", tr.conf(node)}, args...)...)
}

// asProcess is a command to be run as a process of its own.
func asProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args[1:]...)
	cmd.Args[0] = args[0]
	return cmd
}

// sortedLines makes the order in which minions answer irrelevant.
func sortedLines(s string) string {
	l := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	slices.Sort(l)
	return strings.Join(l, "\n")
}
