package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/topology"
)

// Tree is what the demo grows unless told otherwise.
const Tree = `top: top-01
  syndic-a: web-01 web-02
    syndic-c: db-01 db-02
  syndic-b: cache-01
`

// Options of [Run].
type Options struct {
	Exe  string // the program whose daemons are started
	Dir  string // an empty folder for everything
	Tree string // as [localcluster.Parse] reads it
	Keep bool   // leave the tree running until ctx ends
	Page string // address and port at which the page is served until ctx ends; "": nowhere
	Out  io.Writer
}

// patience bounds each step that waits for the tree.
const patience = 60 * time.Second

type demo struct {
	Options
	cluster *localcluster.Cluster
	procs   map[string]*localcluster.Process
	client  *client.Client
	last    string // jid of the last complete job
	page    *page  // nil: it is not served
}

// Run grows the tree, shows it, and takes it away again.
func Run(ctx context.Context, o Options) (err error) {
	spec, err := drawn(o.Tree)
	if err != nil {
		return err
	}
	d := &demo{Options: o, procs: map[string]*localcluster.Process{}}
	if o.Page != "" {
		if d.page, err = parsePage(o.Page); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	if err := d.grow(ctx, spec); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{d.draw, d.jobs, d.nobody, d.victim, d.results, d.serve} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	switch {
	case o.Keep:
		d.say("\nThe tree is yours. It stops with Ctrl-C; its folder stays: %s\n", o.Dir)
	case d.page != nil:
		d.say("\nThe tree is yours. It stops with Ctrl-C.\n")
	default:
		return nil
	}
	<-ctx.Done()
	return nil
}

func (d *demo) say(format string, args ...any) {
	_, _ = fmt.Fprintf(d.Out, format, args...) // a closed terminal must not keep processes alive
}

// grow plants and starts the tree and waits until each member is up.
func (d *demo) grow(ctx context.Context, spec localcluster.Spec) error {
	nodes, minions := spec.Count()
	d.say("Growing a tree of %d nodes and %d minions in %s\n", nodes, minions, d.Dir)
	started := time.Now()
	var err error
	if d.cluster, err = localcluster.Plant(d.Dir, spec); err != nil {
		return err
	}
	if d.page != nil {
		if err := d.page.configure(d.cluster.Top()); err != nil {
			return err
		}
	}
	for _, m := range d.cluster.Members {
		if d.procs[m.ID], err = localcluster.Start(d.Exe, m); err != nil {
			return err
		}
	}
	if d.client, err = client.Open(d.cluster.Top().ConfDir); err != nil {
		return err
	}
	err = d.await(ctx, func(n topology.Node) bool {
		below, leaves, up := n.Count()
		return below == nodes-1 && leaves == minions && up == minions
	})
	if err != nil {
		return fmt.Errorf("the tree did not come up; see the files console and log below %s: %w", d.Dir, err)
	}
	d.say("All %d processes are up after %.1f s.\n", len(d.procs), time.Since(started).Seconds())
	return nil
}

// await asks for the tree until it is as wanted.
func (d *demo) await(ctx context.Context, as func(topology.Node) bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last error
	for {
		n, err := d.client.Tree(ctx)
		if err == nil && as(n) {
			return nil
		}
		if ctx.Err() == nil && err != nil {
			last = err
		}
		if id := d.fallen(); id != "" {
			return fmt.Errorf("%s ended by itself", id)
		}
		if err := timing.Sleep(ctx, 50*time.Millisecond); err != nil {
			return errors.Join(err, last)
		}
	}
}

// fallen names a process that has ended although the demo did not end it.
func (d *demo) fallen() string {
	for id, p := range d.procs {
		if p == nil {
			continue
		}
		select {
		case <-p.Done():
			return id
		default:
		}
	}
	return ""
}

func (d *demo) stop() error {
	var ps []*localcluster.Process
	for _, p := range d.procs {
		if p != nil {
			ps = append(ps, p)
		}
	}
	err := localcluster.StopAll(ps, 15*time.Second)
	if d.client != nil {
		err = errors.Join(err, d.client.Close())
	}
	return err
}

// draw shows the tree as `mom tree` does.
func (d *demo) draw(ctx context.Context) error {
	n, err := d.client.Tree(ctx)
	if err != nil {
		return err
	}
	d.say("\n$ mom tree -c %s\n", d.cluster.Top().ConfDir)
	return topology.Draw(d.Out, n, topology.DrawOptions{})
}

// results tells where the returns are and how to look at them.
func (d *demo) results(context.Context) error {
	top := d.cluster.Top()
	d.say("\nThe results are in SQL, one row per job and minion, at every node on the way:\n")
	for _, m := range d.cluster.Members {
		if m.Kind == localcluster.Minion {
			continue
		}
		c, _, err := config.LoadMaster(m.ConfDir)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(d.Dir, c.JobStoreFile)
		if err != nil {
			rel = c.JobStoreFile
		}
		d.say("  %-10s %s\n", m.ID, rel)
	}
	hint := "Look at them with:"
	if !d.Keep && d.page == nil {
		hint = "They go now, with the tree. With --keep it stays, and you look at them with:"
	}
	d.say("%s\n  mom salt-run -c %s jobs.lookup_jid %s\n  mom salt-run -c %s jobs.list_jobs\n", hint, top.ConfDir, d.last, top.ConfDir)
	return nil
}

func pathOf(node string, m client.Missing) string {
	if m.Path == "" {
		return node
	}
	return node + " → " + strings.ReplaceAll(m.Path, "/", " → ")
}
