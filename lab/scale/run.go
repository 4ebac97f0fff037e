package scale

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/network"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/swarm"
)

// Options of [Run].
type Options struct {
	// Program is a built mom, Lab a built momlab, which plays the minions.
	Program, Lab string
	// Dir is an empty folder for everything.
	Dir string
	// LogLevel of the nodes. Default warning.
	LogLevel string
	// Unhurried leaves out what depends on how fast this machine is.
	Unhurried bool
	// Say is told what happens; nil: nobody.
	Say func(format string, args ...any)
	// Pause is called when all minions are ready, before the first job; nil: nothing.
	Pause func()
	// Progress is how often the minions report. Default 250 ms.
	Progress time.Duration
}

// Run plays one shape. An error means that it could not be played; what was found
// wrong stands in the result.
func Run(ctx context.Context, o Options, s Shape) (r Result, err error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	r = Result{Shape: s.Name, Minions: s.All()}
	w := &world{Options: o, shape: s, procs: map[string]*localcluster.Process{}, probes: map[string]string{}}
	defer func() { err = errors.Join(err, w.stop()) }()
	before, _ := network.ReadConntrack()
	defer func() {
		if after, ok := network.ReadConntrack(); ok && after.Dropped > before.Dropped {
			r.fault("this machine dropped %d packets: its table of %d connections was full (sysctl net.netfilter.nf_conntrack_max)", after.Dropped-before.Dropped, after.Max)
		}
	}()
	o.Say("%s: %s", s.Name, s.About)
	if err := w.grow(ctx); err != nil {
		return r, fmt.Errorf("grow the tree: %w", err)
	}
	r.Nodes = len(w.cluster.Members)
	if s.Absent {
		err := w.work(ctx, &r)
		w.memory(&r)
		return r, err
	}
	o.Say("%d nodes are up, %d minions start", r.Nodes, s.All())
	if err := w.enter(ctx, &r); err != nil {
		return r, err
	}
	if o.Pause != nil {
		o.Pause()
	}
	if err := w.work(ctx, &r); err != nil {
		return r, err
	}
	if err := w.settle(ctx, r.Jobs); err != nil {
		return r, err
	}
	if err := w.account(ctx, &r); err != nil {
		return r, err
	}
	if !o.Unhurried {
		w.pace(&r)
	}
	err = w.probe(ctx, &r)
	w.memory(&r)
	return r, err
}

// enter starts the minions and waits until all are ready.
func (w *world) enter(ctx context.Context, r *Result) error {
	for i := range w.leaves {
		if err := w.herd(i); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, w.shape.Patience)
	defer cancel()
	said := time.Now()
	for {
		all, _, err := w.sum()
		if err != nil {
			return err
		}
		r.SignedIn, r.Ready = all.SignedIn, all.Ready
		if all.Ready.Done == w.shape.All() && all.Conns.Up == int64(w.shape.All()) && w.heard(ctx) {
			w.Say("all signed in after %s, ready after %s; %d connections cut, %d requests timed out", all.SignedIn.Last, all.Ready.Last, all.Conns.Cut, all.Requests.TimedOut)
			return nil
		}
		if time.Since(said) > 10*time.Second {
			said = time.Now()
			w.Say("signed in %d, ready %d, connected %d; connections cut %d", all.SignedIn.Done, all.Ready.Done, all.Conns.Up, all.Conns.Cut)
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("of %d minions %d have signed in, %d are ready and %d connected: %w", w.shape.All(), all.SignedIn.Done, all.Ready.Done, all.Conns.Up, err)
		}
	}
}

// heard tells whether each node of the lowest tier has taken the subscriptions of all
// its minions: until then a job does not reach them, as with Salt. The connections are
// counted as well, those that are greeted still too: a minion that has connected twice,
// and whose first connection the node has not seen end yet, stands for nobody else.
func (w *world) heard(ctx context.Context) bool {
	for _, m := range w.leaves {
		subscribers, peers, greeted := 0.0, 0.0, 0.0
		err := scrape(ctx, w.probes[m.ID], func(name, labels string, v float64) {
			pub := strings.Contains(labels, `socket="pub"`)
			switch {
			case name == "mom_subscribers":
				subscribers = v
			case name == "mom_socket_peers" && pub:
				peers = v
			case name == "mom_socket_handshaking" && pub:
				greeted = v
			}
		})
		if err != nil || int(subscribers) != w.shape.Minions || int(peers) != w.shape.Minions || greeted != 0 {
			return false
		}
	}
	return true
}

// work gives the jobs.
func (w *world) work(ctx context.Context, r *Result) error {
	kills := 0
	for i := range w.shape.Jobs {
		victim := ""
		if kills < w.shape.Kills && i*w.shape.Kills/w.shape.Jobs >= kills && i > 0 {
			victim = w.leaves[kills%len(w.leaves)].ID
			kills++
		}
		j := w.ask(ctx, ping, victim)
		r.Jobs = append(r.Jobs, j)
		w.Say("job %d of %d: %s, %d of %d returned %s%s", i+1, w.shape.Jobs, j.Took, j.Returned, j.Expected, j.Killed, j.Error)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if victim != "" {
			if err := w.healed(ctx); err != nil {
				r.fault("%v", err)
				return nil
			}
		}
	}
	var cli []time.Duration
	for range w.shape.CLI {
		took, err := w.command(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.fault("%v", err)
			continue
		}
		cli = append(cli, took)
	}
	r.CLI.Median, r.CLI.Slowest = middle(cli)
	r.CLI.Runs = len(cli)
	if len(cli) > 0 {
		w.Say("salt '*' test.ping: median %s, slowest %s of %d", r.CLI.Median, r.CLI.Slowest, len(cli))
	}
	return nil
}

// memory enters what the processes take.
func (w *world) memory(r *Result) {
	all, _, _ := w.sum()
	r.Memory.SwarmPerMinion = all.Memory.Peak / int64(max(w.shape.All(), 1))
	for _, m := range w.cluster.Members {
		p := w.procs[m.ID]
		if p == nil {
			continue
		}
		n := resident(p.Pid())
		if m.ID == w.cluster.Top().ID {
			r.Memory.Top = n
		} else {
			r.Memory.LargestNode = max(r.Memory.LargestNode, n)
		}
	}
}

// middle gives the median and the largest.
func middle(ds []time.Duration) (median, most swarm.Seconds) {
	if len(ds) == 0 {
		return 0, 0
	}
	sorted := sortedCopy(ds)
	return swarm.Seconds(sorted[len(sorted)/2]), swarm.Seconds(sorted[len(sorted)-1])
}
