package scale

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/swarm"
	"github.com/momtree/mom/topology"
)

// world is the processes of one run.
type world struct {
	Options
	shape   Shape
	cluster *localcluster.Cluster
	procs   map[string]*localcluster.Process
	conf    *config.Master // of the top
	client  *client.Client
	leaves  []localcluster.Member
	herds   []*herd
	probes  map[string]string      // node → address of its metrics
	quota   *quota                 // of the nodes; nil: none
	extra   func(id string) string // further lines for the configuration of a node; nil: none
}

// grow plants and starts the nodes, with the keys of all minions accepted.
func (w *world) grow(ctx context.Context) error {
	var addrs []string
	spec, err := w.shape.spec(func(id string) (string, error) {
		port, err := localcluster.FreePort()
		if err != nil {
			return "", err
		}
		addrs = append(addrs, fmt.Sprintf("127.0.0.1:%d", port))
		conf := fmt.Sprintf("metrics_listen: %s\ndebug_socket: True\n", addrs[len(addrs)-1])
		if w.extra != nil {
			conf += w.extra(id)
		}
		return conf, nil
	})
	if err != nil {
		return err
	}
	if w.cluster, err = localcluster.Plant(filepath.Join(w.Dir, "tree"), spec); err != nil {
		return err
	}
	below := map[string]bool{}
	for i, m := range w.cluster.Members {
		w.probes[m.ID] = addrs[i]
		for _, id := range strings.Split(m.Path, "/") {
			below[id] = true
		}
	}
	for _, m := range w.cluster.Members {
		if !below[m.ID] {
			w.leaves = append(w.leaves, m)
		}
	}
	if err := w.seed(ctx); err != nil {
		return err
	}
	if w.shape.Processors > 0 {
		if w.quota, err = newQuota(fmt.Sprintf("mom-scale-%d", os.Getpid()), w.shape.Processors); err != nil {
			return err
		}
	}
	for _, m := range w.cluster.Members {
		if err := w.start(m); err != nil {
			return err
		}
	}
	top := w.cluster.Top().ConfDir
	if w.conf, _, err = config.LoadMaster(top); err != nil {
		return err
	}
	if w.client, err = client.Open(top); err != nil {
		return err
	}
	nodes := len(w.cluster.Members) - 1
	return w.await(ctx, time.Minute, func(n topology.Node) bool { have, _, _ := n.Count(); return have == nodes })
}

func (w *world) start(m localcluster.Member) (err error) {
	w.procs[m.ID], err = localcluster.Start(w.Program, m, "-l", w.logLevel())
	if err != nil {
		return err
	}
	return w.quota.add(w.procs[m.ID])
}

func (w *world) logLevel() string {
	if w.LogLevel == "" {
		return "warning"
	}
	return w.LogLevel
}

// seed lays the keys of the minions down: one pair for all.
func (w *world) seed(ctx context.Context) error {
	keys := w.keys()
	for i, m := range w.leaves {
		ids := w.ids(i)
		if err := keys.Make(ctx, ids, nil); err != nil {
			return err
		}
		if _, err := swarm.Seed(filepath.Join(m.Dir, "etc/salt/pki/master"), ids, keys); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) keys() *swarm.Keys { return &swarm.Keys{Dir: filepath.Join(w.Dir, "keys"), Count: 1} }

// ids are the minions below a leaf.
func (w *world) ids(leaf int) swarm.IDs {
	return swarm.IDs{Pattern: "m%06d", First: leaf * w.shape.Minions, Count: w.shape.Minions}
}

// await asks for the tree until it is as wanted.
func (w *world) await(ctx context.Context, patience time.Duration, as func(topology.Node) bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last error
	for {
		n, err := w.client.Tree(ctx)
		if err == nil && as(n) {
			return nil
		}
		if ctx.Err() == nil {
			last = err
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return errors.Join(fmt.Errorf("the tree is not as wanted after %v", patience), last)
		}
	}
}

// stop ends everything.
func (w *world) stop() error {
	var errs []error
	for _, h := range w.herds {
		_, err := h.end()
		errs = append(errs, err)
	}
	var ps []*localcluster.Process
	for _, p := range w.procs {
		ps = append(ps, p)
	}
	errs = append(errs, localcluster.StopAll(ps, 30*time.Second), w.quota.close())
	if w.client != nil {
		errs = append(errs, w.client.Close())
	}
	return errors.Join(errs...)
}

// resident is the memory of a process now, 0 if that is not known.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
