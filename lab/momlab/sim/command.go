package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/momtree/mom/lab/sim"
	"github.com/momtree/mom/mom/command"
)

// flags are the flags of momlab sim as given.
type flags struct {
	shape, edge, leaf, faultsFor string
	jobs                         []string
	o                            sim.Options
	seeds, cores, tops, ties     int
	random, batches, trace       bool
	out                          string
	far                          far
}

// Command is momlab sim.
func Command() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "sim",
		Short: "Simulate a tree: times, messages, memory and accounts, with faults, by seed",
		Long: "momlab sim plays a tree of masters in virtual time with the product's own ledger, job store,\n" +
			"outbox and handover of returns. The same seed gives the same output. With --seeds it plays many\n" +
			"schedules and prints the seed of the first that breaks a promise.",
		Example: "  momlab sim --shape 10x100x1000\n" +
			"  momlab sim --shape 3x4x20 --kills 3 --partitions 2 --loss 0.05 --seeds 500\n" +
			"  momlab sim --shape 12x20x417 --tops 3 --cluster --wan-rtt 80ms..120ms --wan-loss 0.001 --sql-rows 20000\n" +
			"  momlab sim --random --faults --seed 4711 --trace",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.play(cmd.Context(), cmd)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.shape, "shape", "10x100", "nodes per tier, then minions per node of the last: 10x100x1000")
	fl.Uint64Var(&f.o.Seed, "seed", 1, "seed of all random draws")
	fl.Uint64Var(&f.o.Salt, "salt", 0, "gives other schedules for the same seeds")
	fl.IntVar(&f.seeds, "seeds", 1, "number of schedules to play, from --seed on")
	fl.BoolVar(&f.random, "random", false, "draw shape and jobs from the seed too")
	fl.Bool("faults", false, "draw faults of every kind from the seed")
	fl.IntVar(&f.tops, "tops", 1, "number of tops, each above all nodes of the next tier")
	fl.BoolVar(&f.o.Cluster, "cluster", false, "with --tops: the tops share their jobs, as with cluster_peers")
	fl.IntVar(&f.ties, "ties", 0, "nodes that get another parent, drawn from the seed")
	fl.StringArrayVar(&f.jobs, "job", nil, "a job: at=0s,fun=test.ping,part=1,run=5ms..30ms,size=0,fail=0,top=0,twice=0s,batch=1 (each optional; may be repeated);\n"+
		"twice is the delay until the next top publishes it too, batch the number of minions that run it at a time")
	fl.IntVar(&f.cores, "cores", 2, "processors of one node")
	fl.StringVar(&f.edge, "rtt", "2ms..4ms", "round trip between nodes")
	fl.StringVar(&f.leaf, "minion-rtt", "1ms..2ms", "round trip between a node and its minions; write times as 5ms, 5ms..20ms or 5ms+exp:20ms")
	fl.DurationVar(&f.o.Gather, "gather", 500*time.Millisecond, "syndic_event_forward_timeout")
	fl.DurationVar(&f.o.Timeout, "timeout", 5*time.Second, "timeout of the jobs")
	fl.DurationVar(&f.o.Lease, "lease", 5*time.Second, "time in which a broken connection may come back")
	fl.BoolVar(&f.batches, "batches", false, "with --random: most jobs are batches driven by the top")
	fl.BoolVar(&f.o.Insist, "insist", false, "send missed publications again even after the job has ended, like a queue without a deadline")
	fl.Int64Var(&f.o.OutboxRows, "outbox-rows", 0, "outbox_max_rows; 0: no bound")
	fl.Float64Var(&f.o.Minions.Dead, "dead", 0, "share of minions that are not connected")
	fl.Float64Var(&f.o.Minions.Silent, "silent", 0, "share of minions that never answer")
	fl.Float64Var(&f.o.Minions.Slow, "slow", 0, "share of minions that are slow")
	fl.DurationVar(&f.o.Minions.SlowBy, "slow-by", 30*time.Second, "extra run time of slow minions")
	fl.Float64Var(&f.o.Minions.Untracked, "untracked", 0, "share of minions without presence, as Python's are")
	fl.Float64Var(&f.o.Faults.Loss, "loss", 0, "share of requests, answers and returns that are lost")
	fl.IntVar(&f.o.Faults.Kills, "kills", 0, "kills of a node between two events")
	fl.IntVar(&f.o.Faults.Crashes, "crashes", 0, "kills of a node during an event")
	fl.IntVar(&f.o.Faults.Partitions, "partitions", 0, "links cut both ways")
	fl.IntVar(&f.o.Faults.OneWay, "one-way", 0, "links cut one way")
	fl.IntVar(&f.o.Faults.TopCuts, "top-cuts", 0, "with --cluster: links between tops that are cut, both ways or one way")
	fl.IntVar(&f.o.Faults.Drops, "drops", 0, "minions that lose their connection")
	fl.IntVar(&f.o.Faults.Moves, "moves", 0, "minions that move to a sibling although their node is alive")
	fl.DurationVar(&f.o.Rehome, "rehome", 0, "rehome_after: minions whose node is gone move to a sibling; 0: they wait; with --moves the default is 2s")
	fl.DurationVar(&f.o.Failback, "failback", time.Minute, "rehome_failback")
	fl.StringVar(&f.faultsFor, "for", "100ms..20s", "duration of each fault")
	fl.BoolVar(&f.trace, "trace", false, "print what happens, event by event")
	fl.StringVar(&f.out, "out", "text", "text or json")
	command.Values(c, "out", "text", "json")
	f.far.add(fl)
	c.AddCommand(growthCommand())
	return c
}

// options converts the flags.
func (f *flags) options(cmd *cobra.Command) (sim.Options, error) {
	o := f.o
	var errs []error
	dist := func(flag, s string, half bool) sim.Dist {
		d, err := sim.ParseDist(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
		}
		if half {
			d.Min, d.Max, d.Exp = d.Min/2, d.Max/2, d.Exp/2
		}
		return d
	}
	o.Edge, o.Leaf, o.Faults.For = dist("rtt", f.edge, true), dist("minion-rtt", f.leaf, true), dist("for", f.faultsFor, false)
	if err := f.far.set(&o); err != nil {
		errs = append(errs, err)
	}
	var err error
	if o.Shape, err = sim.ParseShape(f.shape); err != nil {
		errs = append(errs, fmt.Errorf("--shape: %w", err))
	}
	for _, s := range f.jobs {
		j, err := parseSimJob(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("--job %s: %w", s, err))
		}
		o.Jobs = append(o.Jobs, j)
	}
	if f.tops < 1 || f.tops > 16 || f.ties < 0 || f.ties > 100_000 {
		errs = append(errs, fmt.Errorf("--tops is %d, must be 1 to 16; --ties is %d, must be 0 to 100000", f.tops, f.ties))
	} else if f.tops > 1 && err == nil {
		o.Shape = o.Shape.WithTops(f.tops)
	}
	if f.cores < 1 || f.cores > 1024 {
		errs = append(errs, fmt.Errorf("--cores is %d, must be 1 to 1024", f.cores))
	}
	o.Costs = sim.MeasuredCosts(f.cores)
	if f.out != "text" && f.out != "json" {
		errs = append(errs, fmt.Errorf("--out is %q, must be text or json", f.out))
	}
	if f.seeds < 1 {
		errs = append(errs, fmt.Errorf("--seeds is %d, must be at least 1", f.seeds))
	}
	if f.trace {
		o.Trace = func(line string) { _, _ = fmt.Fprintln(cmd.OutOrStdout(), line) }
	}
	return o, errors.Join(errs...)
}

// parseSimJob reads "at=1s,fun=test.ping,part=0.5".
func parseSimJob(s string) (j sim.Job, err error) {
	for _, kv := range strings.Split(s, ",") {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "at":
			j.At, err = time.ParseDuration(v)
			if err == nil && j.At < 0 {
				err = errors.New("must not be negative")
			}
		case "fun":
			j.Fun = v
		case "part":
			j.Part, err = fraction(v)
		case "fail":
			j.Fail, err = fraction(v)
		case "run":
			j.Run, err = sim.ParseDist(v)
		case "size":
			if j.Size, err = strconv.Atoi(v); err == nil && (j.Size < 0 || j.Size > 1<<20) {
				err = errors.New("must be from 0 to 1048576 bytes")
			}
		case "top":
			if j.Top, err = strconv.Atoi(v); err == nil && j.Top < 0 {
				err = errors.New("must not be negative")
			}
		case "twice":
			if j.Twice, err = time.ParseDuration(v); err == nil && j.Twice < 0 {
				err = errors.New("must not be negative")
			}
		case "batch":
			if j.Batch.Size, err = strconv.Atoi(v); err == nil && j.Batch.Size < 1 {
				err = errors.New("must be at least 1")
			}
		default:
			err = errors.New("use at, fun, part, run, size, fail, top, twice, batch")
		}
		if err != nil {
			return j, fmt.Errorf("%q: %w", kv, err)
		}
	}
	return j, nil
}

func fraction(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err == nil && !(x >= 0 && x <= 1) {
		err = errors.New("must be from 0 to 1")
	}
	return x, err
}

func (f *flags) play(ctx context.Context, cmd *cobra.Command) error {
	o, err := f.options(cmd)
	if err != nil {
		return command.Exit(command.ExitUsage, err)
	}
	faults, err := cmd.Flags().GetBool("faults")
	if err != nil {
		return err
	}
	began := time.Now()
	for i := range f.seeds {
		at := o
		at.Seed = o.Seed + uint64(i)
		if f.ties > 0 && !f.random {
			at.Shape = at.Shape.Tie(rand.New(rand.NewPCG(at.Seed, 0x746965)), f.ties)
		}
		f.draw(&at, faults, cmd.Flags().Changed)
		announce(cmd.ErrOrStderr(), &at, time.Now)
		if err := playOne(ctx, cmd.OutOrStdout(), at, f.out, f.seeds == 1); err != nil {
			return fmt.Errorf("seed %d: %w\n\nplay it again: %s", at.Seed, err, f.again(cmd, at.Seed))
		}
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "All promises held in %d of %d schedules; %s, %d MiB of memory\n",
		f.seeds, f.seeds, time.Since(began).Round(time.Millisecond), mem.Sys>>20)
	return err
}

// draw sets what --random and --faults leave to the seed. With both, the schedule is that of the tests
// of lab/sim, so that their failures can be played again.
func (f *flags) draw(o *sim.Options, faults bool, changed func(flag string) bool) {
	drawn := sim.RandomOptions(o.Seed, o.Salt)
	if f.batches {
		drawn = sim.RandomBatches(o.Seed, o.Salt)
	}
	if f.random {
		o.Shape, o.Jobs, o.Minions, o.Body, o.Bounds = drawn.Shape, drawn.Jobs, drawn.Minions, drawn.Body, drawn.Bounds
		o.Narrow, o.Older, o.Strict, o.Unsigned, o.Namesakes = drawn.Narrow, drawn.Older, drawn.Strict, drawn.Unsigned, drawn.Namesakes
	}
	if faults {
		o.Faults, o.Rehome, o.Failback = drawn.Faults, drawn.Rehome, drawn.Failback
		if !changed("outbox-rows") {
			o.OutboxRows = drawn.OutboxRows
		}
		if !changed("minion-rtt") && drawn.Leaf != (sim.Dist{}) {
			o.Leaf = drawn.Leaf
		}
	}
}

// again returns the command line that plays one seed again, with its trace.
func (f *flags) again(cmd *cobra.Command, seed uint64) string {
	args := []string{"momlab", "sim"}
	for _, name := range changed(cmd) {
		if name == "seed" || name == "seeds" || name == "trace" {
			continue
		}
		flag := cmd.Flags().Lookup(name)
		if name == "job" {
			for _, j := range f.jobs {
				args = append(args, "--job '"+j+"'")
			}
			continue
		}
		args = append(args, "--"+name+"="+flag.Value.String())
	}
	return strings.Join(append(args, fmt.Sprintf("--seed %d --trace", seed)), " ")
}

// changed lists the flags that were given, in a fixed order.
func changed(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().Visit(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

func playOne(ctx context.Context, out io.Writer, o sim.Options, form string, show bool) error {
	w, err := sim.New(o)
	if err != nil {
		return err
	}
	if err := w.Run(ctx); err != nil {
		return err
	}
	if show {
		r := w.Report()
		if form == "json" {
			enc := json.NewEncoder(out)
			enc.SetIndent("", "  ")
			err = enc.Encode(r)
		} else {
			err = r.Text(out)
		}
		if err != nil {
			return err
		}
	}
	return w.Check()
}
