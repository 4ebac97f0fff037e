package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/swarm"
)

// FetchOptions say what is fetched, by how many.
type FetchOptions struct {
	Program string // a built mom
	// Salt is the folder of an installed Salt, whose bin/salt-master serves in the place of mom's.
	Salt     string
	Protocol int    // of the minions: 3 (default), or 2 for Salt up to 3006.11
	Workers  int    // Salt's worker_threads; 0: its default
	Dir      string // for the tree and the files; it is left to the caller
	Minions  int
	// MomShare is the share, 0 to 1, of minions that behave as ours; the others are stock ones.
	MomShare  float64
	Megabytes int  // MiB of the file that all fetch; 0: none is fetched
	States    bool // pillar.items, state.highstate, and that once more
	// Patience is how long one job may take, and all to become ready. Default 10 minutes.
	Patience time.Duration
	Say      io.Writer // is told what is being done; nil: nobody
}

// Fetch starts a master and its minions, has them fetch, and accounts for it.
func Fetch(ctx context.Context, o FetchOptions) (f FetchFigures, err error) {
	if o.Say == nil {
		o.Say = io.Discard
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Minute
	}
	if o.Protocol == 0 {
		o.Protocol = 3
	}
	x := &fetchWorld{world: world{Options: Options{Program: o.Program, Salt: o.Salt, Dir: o.Dir, Minions: o.Minions, Say: o.Say}}, opts: o}
	defer func() { err = errors.Join(err, x.stop()) }()
	if err := x.grow(ctx); err != nil {
		return f, err
	}
	f.Minions, f.Salt, f.Protocol = o.Minions, o.Salt != "", o.Protocol
	var acts []act
	if o.Megabytes > 0 {
		acts = append(acts, act{name: fmt.Sprintf("a file of %d MiB", o.Megabytes), fun: "cp.cache_file", args: []any{"salt://" + bigName}, files: 1, sum: x.sum})
	}
	if o.States {
		acts = append(acts, act{name: "pillar", fun: "pillar.items", pillars: 1}, act{name: "highstate", fun: "state.highstate", files: stateFiles, pillars: 1}, act{name: "highstate, again", fun: "state.highstate", held: stateFiles, pillars: 1})
	}
	for _, a := range acts {
		x.say("%d minions: %s\n", o.Minions, a.name)
		y, err := x.play(ctx, a)
		f.Acts = append(f.Acts, y)
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// act is one job of all minions, with what each has to have then.
type act struct {
	name, fun            string
	args                 []any
	files, held, pillars int
	sum                  string // of the file; "": of several
}

// fetchWorld is a master with files, and a swarm.
type fetchWorld struct {
	world
	opts   FetchOptions
	client *client.Client
	sum    string // of the large file
}

// grow starts all of it.
func (x *fetchWorld) grow(ctx context.Context) (err error) {
	conf, err := x.plantFiles()
	if err != nil {
		return err
	}
	if x.cluster, err = localcluster.Plant(filepath.Join(x.Dir, "tree"), localcluster.Spec{ID: "top", Master: conf}); err != nil {
		return err
	}
	top := x.cluster.Top()
	keys := &swarm.Keys{Dir: filepath.Join(x.Dir, "keys"), Count: 1}
	if err := keys.Make(ctx, x.ids(), nil); err != nil {
		return err
	}
	if _, err := swarm.Seed(filepath.Join(top.Dir, "etc/salt/pki/master"), x.ids(), keys); err != nil {
		return err
	}
	if x.master, err = x.start("master"); err != nil {
		return err
	}
	x.swarm, err = swarm.New(swarm.Config{
		Host: "127.0.0.1", Port: top.RetPort, PublishPort: top.PublishPort, IDs: x.ids(), Keys: keys, Source: swarm.Loopback, Protocol: x.opts.Protocol,
		MomShare: x.opts.MomShare, PillarID: "minion", Ramp: time.Duration(x.Minions) * 10 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	var alive context.Context
	alive, x.end = context.WithCancel(context.WithoutCancel(ctx))
	x.ended = make(chan error, 1)
	go func() { x.ended <- x.swarm.Run(alive) }()
	return x.until(ctx, "all minions are ready", func() bool { return x.swarm.Report().Ready.Done == x.Minions })
}

// until waits for a condition.
func (x *fetchWorld) until(ctx context.Context, what string, is func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, x.opts.Patience)
	defer cancel()
	for !is() {
		if err := timing.Sleep(ctx, 20*time.Millisecond); err != nil {
			r := x.swarm.Report()
			return fmt.Errorf("%s: not after %v (%d signed in, %d ready, %d requests timed out): %w; logs are in %s", what, x.opts.Patience, r.SignedIn.Done, r.Ready.Done, r.Requests.TimedOut, err, x.Dir)
		}
	}
	return nil
}

// play publishes a job and accounts for it.
func (x *fetchWorld) play(ctx context.Context, a act) (f FetchAct, err error) {
	f.Name = a.name
	if x.client == nil {
		if x.client, err = client.Open(x.cluster.Top().ConfDir); err != nil {
			return f, err
		}
	}
	before, busy, mine := x.swarm.Report(), x.master.busy(), own()
	watching, stop := context.WithCancel(ctx)
	most := x.master.watch(watching)
	begun := time.Now()
	job, err := x.client.Publish(ctx, client.Job{Tgt: "*", Fun: []string{a.fun}, Args: a.args})
	if err == nil {
		err = x.until(ctx, a.name+": all minions have answered", func() bool {
			j := x.job(job.JID)
			return j.Acknowledged+j.Lost >= x.Minions
		})
	}
	f.Took = swarm.Seconds(time.Since(begun))
	stop()
	f.Share = most()
	f.Peak = x.master.memory()
	f.Busy, f.Swarm = swarm.Seconds(x.master.busy()-busy), swarm.Seconds(own()-mine)
	after, j := x.swarm.Report(), x.job(job.JID)
	f.Lost, f.Returned = j.Lost, j.AcknowledgedMinions
	f.TimedOut, f.Rejected, f.Cut = after.Requests.TimedOut-before.Requests.TimedOut, after.Requests.Rejected-before.Requests.Rejected, after.Conns.Cut-before.Conns.Cut
	if j.Work != nil {
		f.Work = *j.Work
	}
	f.judge(a, x.Minions)
	return f, err
}

func (x *fetchWorld) job(jid string) (j swarm.JobReport) {
	for _, r := range x.swarm.Report().Jobs {
		if r.JID == jid {
			j = r
		}
	}
	return j
}

func (x *fetchWorld) stop() error {
	var err error
	if x.client != nil {
		err = x.client.Close()
	}
	return errors.Join(err, x.world.stop())
}
