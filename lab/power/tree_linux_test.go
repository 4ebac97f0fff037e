package power

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/topology"
)

// tree is a recorded tree: a top, a node below it, and minions below the node.
type tree struct {
	*localcluster.Cluster
	rec   *Recorder
	exe   string
	procs []*localcluster.Process
}

// plant creates a tree without starting it, and begins its record.
func plant(t *testing.T) *tree {
	t.Helper()
	dir, err := os.MkdirTemp("", "mp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	tr := &tree{}
	tr.Cluster, err = localcluster.Plant(dir, localcluster.Spec{ID: "top", Master: lines, Nodes: []localcluster.Spec{
		{ID: "node", Master: lines, Minions: []string{"m1", "m2", "late"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	tr.keys(t)
	l, err := NewLog(dir, unpromised)
	if err != nil {
		t.Fatal(err)
	}
	tr.rec, err = NewRecorder(l, func() time.Duration { return rand.N(2 * time.Millisecond) })
	if err != nil {
		t.Fatal(err)
	}
	if tr.exe, err = tr.rec.Wrap(program); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.end(t) })
	return tr
}

const lines = "rehome: False\n"

// keys creates the key of late, which is not accepted yet, and others to be accepted or rejected.
func (tr *tree) keys(t *testing.T) {
	t.Helper()
	pki := filepath.Join(tr.Dir, "node", masterPKI)
	err := os.Mkdir(filepath.Join(pki, "minions_pre"), 0o700)
	text, readErr := os.ReadFile(filepath.Join(pki, "minions", "late"))
	for _, to := range []string{"minions/old", "minions_pre/bad", "minions_pre/new", "minions_pre/was"} {
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(pki, to), text, 0o600))
	}
	_, admitErr := admitted.Admit(pki, "was")
	if err = errors.Join(err, admitErr, os.Remove(filepath.Join(pki, "minions", "late")), os.Mkdir(filepath.Join(tr.Dir, effects), 0o700)); err != nil {
		t.Fatal(err)
	}
}

const (
	masterPKI = "etc/salt/pki/master"
	effects   = "effects" // directory in which each run of a job leaves a file
)

// unpromised matches files that need not survive: logs, and files that SQLite rebuilds.
func unpromised(path string) bool {
	base := filepath.Base(path)
	return base == "log" || base == "console" || strings.HasSuffix(base, "-shm")
}

func (tr *tree) start(t *testing.T, id string) *localcluster.Process {
	t.Helper()
	m, _ := tr.Find(id)
	p, err := localcluster.Start(tr.exe, m)
	if err != nil {
		t.Fatal(err)
	}
	tr.procs = append(tr.procs, p)
	return p
}

// end stops all processes; the record is complete then.
func (tr *tree) end(t *testing.T) {
	t.Helper()
	if tr.rec == nil {
		return
	}
	if err := localcluster.StopAll(tr.procs, 20*time.Second); err != nil {
		t.Error(err)
	}
	if err := tr.rec.Close(); err != nil {
		t.Error(err)
	}
	tr.rec = nil
}

func (tr *tree) client(t *testing.T, id string) *client.Client {
	t.Helper()
	m, _ := tr.Find(id)
	c, err := client.Open(m.ConfDir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// up waits until the top sees that many minions.
func (tr *tree) up(t *testing.T, c *client.Client, minions int) {
	t.Helper()
	waiting.Until(t, "the minions at the top", func() bool {
		n, err := c.Tree(t.Context())
		up := 0
		n.Walk(func(_ string, n topology.Node) {
			for _, m := range n.Minions {
				if m.State == topology.Up {
					up++
				}
			}
		})
		return err == nil && up >= minions
	})
}

// same lists the differences between two directories, apart from unpromised files and sockets.
func same(t *testing.T, is, recorded string) {
	t.Helper()
	read := func(root string) map[string][]byte {
		out := map[string][]byte{}
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || unpromised(path) || e.Type()&fs.ModeSocket != 0 {
				return err
			}
			rel, _ := filepath.Rel(root, path)
			if e.IsDir() {
				out[rel] = nil
				return nil
			}
			out[rel], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	a, b := read(is), read(recorded)
	for path, data := range a {
		if other, ok := b[path]; !ok || !bytes.Equal(data, other) {
			t.Errorf("%s has %d bytes, in the record (%v) %d", path, len(data), ok, len(other))
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			t.Errorf("%s is in the record alone", path)
		}
	}
}
