package page

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/api"
	apibackend "github.com/momtree/mom/api/backend"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/topology"
)

var quiet = slog.New(slog.DiscardHandler)

// world is a tree of three tiers whose members are processes, with the API above it.
type world struct {
	dir     string
	cluster *localcluster.Cluster
	mu      sync.Mutex
	procs   map[string]*localcluster.Process
	client  *client.Client
	url     string
	stop    func() error
}

const drawing = "top: top-01\n  syndic-a: web-01 web-02\n    deep: db-01 db-02\n  syndic-b: cache-01\n"

var (
	shared     *world
	growShared = sync.OnceValue(func() (err error) {
		shared, err = grow()
		return err
	})
)

// tree gives the tree of all tests. Who breaks something in it mends it.
func tree(t *testing.T) *world {
	t.Helper()
	if err := growShared(); err != nil {
		t.Fatal(err)
	}
	return shared
}

func stopShared() error {
	if shared == nil {
		return nil
	}
	return shared.end()
}

func grow() (_ *world, err error) {
	w := &world{procs: map[string]*localcluster.Process{}}
	if w.dir, err = os.MkdirTemp("", "mp"); err != nil {
		return nil, err
	}
	users := filepath.Join(w.dir, "users")
	if err := os.WriteFile(users, []byte("alice:wonder\nbob:builder\n"), 0o600); err != nil {
		return w, err
	}
	spec, err := localcluster.Parse(drawing)
	if err != nil {
		return w, err
	}
	spec.Master = fmt.Sprintf("external_auth:\n  file:\n    ^filename: %s\n    alice: ['.*', '@runner', '@wheel', '@jobs']\n    bob: [{'web-*': ['test.*']}]\n"+
		"netapi_enable_clients: [local, local_async, runner, wheel]\n", users)
	if w.cluster, err = localcluster.Plant(w.dir, spec); err != nil {
		return w, err
	}
	for _, m := range w.cluster.Members {
		if err := w.start(m.ID); err != nil {
			return w, err
		}
	}
	o, err := client.FromConfig(w.cluster.Top().ConfDir, quiet)
	if err != nil {
		return w, err
	}
	w.client = client.New(o)
	if w.url, w.stop, err = serve(apibackend.Local{Client: w.client}); err != nil {
		return w, err
	}
	nodes, minions := spec.Count()
	return w, w.await(func(n topology.Node) bool {
		below, leaves, up := n.Count()
		return below == nodes-1 && leaves == minions && up == minions
	})
}

// serve serves the API above a master, and gives the address of the page.
func serve(b api.Backend, change ...func(*api.Options)) (url string, stop func() error, err error) {
	o := api.Options{
		Dialect: api.CherryPy, Host: "127.0.0.1", DisableTLS: true, Log: quiet, Version: "test", Clients: []string{"local", "local_async", "runner", "wheel"}, AppPath: "/app",
	}
	for _, c := range change {
		c(&o)
	}
	s, err := api.New(o, b)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return "http://" + s.Addr().String() + o.Root + o.AppPath, func() error {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		return <-done
	}, nil
}

func (w *world) start(id string) error {
	m, _ := w.cluster.Find(id)
	p, err := localcluster.Start(program, m)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.procs[id] = p
	return nil
}

// kill ends a member without warning; mend starts it again at the end of the test and waits
// until all is as before.
func (w *world) kill(t *testing.T, id string) (mend func()) {
	t.Helper()
	w.mu.Lock()
	p := w.procs[id]
	w.mu.Unlock()
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	mend = sync.OnceFunc(func() {
		if err := w.start(id); err != nil {
			t.Error(err)
		}
		if err := w.await(func(n topology.Node) bool {
			_, minions, up := n.Count()
			return minions == up
		}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(mend)
	return mend
}

// newcomer starts a minion whose key nobody has accepted yet, at the top.
func (w *world) newcomer(t *testing.T, id string) {
	t.Helper()
	m := localcluster.Member{ID: id, Kind: localcluster.Minion, Path: "top", Dir: filepath.Join(w.dir, id)}
	m.ConfDir = filepath.Join(m.Dir, "conf")
	if err := os.MkdirAll(m.ConfDir, 0o700); err != nil {
		t.Fatal(err)
	}
	conf := fmt.Sprintf("id: %s\nmaster: 127.0.0.1\nmaster_port: %d\nroot_dir: %s\nsock_dir: %s\npidfile: %s\nlog_file: %s\nacceptance_wait_time: 1\n",
		id, w.cluster.Top().RetPort, m.Dir, filepath.Join(m.Dir, "run"), filepath.Join(m.Dir, "pid"), filepath.Join(m.Dir, "log"))
	if err := os.WriteFile(filepath.Join(m.ConfDir, "minion"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := localcluster.Start(program, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
}

// await asks the top for its tree until it is as wanted.
func (w *world) await(as func(topology.Node) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if !waiting.BecameBy(ctx, func() bool {
		var n topology.Node
		n, err = w.client.Tree(ctx)
		return err == nil && as(n)
	}) {
		return errors.Join(errors.New("the tree is not as expected"), err)
	}
	return nil
}

func (w *world) end() error {
	var errs []error
	if w.stop != nil {
		errs = append(errs, w.stop())
	}
	if w.client != nil {
		errs = append(errs, w.client.Close())
	}
	var ps []*localcluster.Process
	for _, p := range w.procs {
		ps = append(ps, p)
	}
	errs = append(errs, localcluster.StopAll(ps, 20*time.Second), os.RemoveAll(w.dir))
	return errors.Join(errs...)
}

// enter opens the page of the tree and logs in.
func enter(t *testing.T, hash string) (*world, *tab) {
	t.Helper()
	w := tree(t)
	b := open(t, w.url+hash)
	b.logIn("alice", "wonder")
	b.find("button", "Log out")
	return w, b
}
