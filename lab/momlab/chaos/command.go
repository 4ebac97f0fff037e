//go:build linux

// Package chaos is the command momlab chaos: rounds of faults in a tree of real processes.
package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/chaos"
	"github.com/momtree/mom/mom/command"
)

type options struct {
	rounds  int
	seed    uint64
	length  time.Duration
	settle  time.Duration
	renew   int
	dir     string
	program string
	clock   bool
	network string
	verbose bool
	going   bool
	large   bool
	cluster bool
	store   string
}

// Command is momlab chaos.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "chaos", Short: "Break a tree of real processes by seed and check what it promises",
		Long: "momlab chaos plays rounds: jobs and faults, drawn from a seed, in a tree of real processes. It prints a line\n" +
			"for each round and exits with status 1 when one found something wrong.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.IntVar(&o.rounds, "rounds", 1, "how many rounds")
	fl.Uint64Var(&o.seed, "seed", 1, "seed of the first round; each next one has the next number")
	fl.DurationVar(&o.length, "length", 10*time.Second, "how long jobs are published and faults last; part of what a seed stands for")
	fl.DurationVar(&o.settle, "settle", 120*time.Second, "how long the tree may take to be whole again")
	fl.IntVar(&o.renew, "renew", 20, "rounds in one world before a new one is planted")
	fl.StringVar(&o.dir, "dir", "", "folder for worlds; those in which something went wrong stay (default: a new one in the temporary folder)")
	fl.StringVar(&o.program, "program", "", "a built mom (default: build it, with a clock that can be set)")
	fl.BoolVar(&o.clock, "clock", false, "the program given has that clock")
	fl.StringVar(&o.network, "network", "auto", "namespaces, loopback, or auto: namespaces where they are permitted")
	fl.StringVar(&o.store, "store", chaos.MySQL, "the database of the job caches: "+strings.Join(chaos.Stores(), ", "))
	fl.BoolVarP(&o.verbose, "verbose", "v", false, "print what happens when")
	fl.BoolVar(&o.going, "keep-going", false, "go on after a round that found something wrong")
	fl.BoolVar(&o.large, "large", false, "leave all bounds as large as in production; else about half of them are small, by the seed divided by --renew")
	fl.BoolVar(&o.cluster, "cluster", false, "the two tops are one cluster, and one of them is lost in each round; in every second world they keep jobs in their own stores only")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		code, err := run(cmd.Context(), o)
		if err != nil || code != 0 {
			return command.Exit(max(code, 1), err)
		}
		return nil
	}
	return c
}

func run(ctx context.Context, o options) (code int, err error) {
	if !slices.Contains(chaos.Stores(), o.store) {
		return 1, fmt.Errorf("--store is %q; use one of %s", o.store, strings.Join(chaos.Stores(), ", "))
	}
	if chaos.Inside() {
		chaos.Settle()
		return rounds(ctx, o, true)
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "mc"); err != nil {
			return 1, err
		}
		defer os.Remove(o.dir)
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return 1, err
	}
	if o.program == "" {
		build := filepath.Join(o.dir, "build")
		if err := os.MkdirAll(build, 0o700); err != nil {
			return 1, err
		}
		defer func() {
			if code == 0 && err == nil {
				err = os.RemoveAll(build)
			}
		}()
		if o.program, err = chaos.Build(ctx, build); err != nil {
			return 1, err
		}
		o.clock = true
	}
	if o.network != "loopback" {
		args := []string{
			"chaos", fmt.Sprintf("--rounds=%d", o.rounds), fmt.Sprintf("--seed=%d", o.seed), "--length=" + o.length.String(), "--settle=" + o.settle.String(),
			fmt.Sprintf("--renew=%d", o.renew), "--dir=" + o.dir, "--program=" + o.program, fmt.Sprintf("--clock=%v", o.clock),
			fmt.Sprintf("--verbose=%v", o.verbose), fmt.Sprintf("--keep-going=%v", o.going), fmt.Sprintf("--large=%v", o.large),
			fmt.Sprintf("--cluster=%v", o.cluster), "--store=" + o.store,
		}
		code, err := chaos.Enter(args)
		if !errors.Is(err, chaos.ErrNotPermitted) || o.network == "namespaces" {
			return code, err
		}
		fmt.Println("chaos:", err, "- playing on loopback addresses, without full disks")
	}
	return rounds(ctx, o, false)
}

// rounds plays all rounds. A world that has seen something wrong is kept and not used again.
func rounds(ctx context.Context, o options, namespaces bool) (code int, err error) {
	var w *chaos.World
	var dir string
	finish := func(keep bool) error {
		if w == nil {
			return nil
		}
		err := w.Close()
		if w = nil; !keep {
			err = errors.Join(err, os.RemoveAll(dir))
		}
		return err
	}
	defer func() { err = errors.Join(err, finish(code != 0 || err != nil)) }()
	able := chaos.Abilities{Disk: namespaces, Clock: o.clock, Cluster: o.cluster}
	bad := 0
	for i := range o.rounds {
		seed := o.seed + uint64(i)
		if i > 0 && seed/uint64(max(o.renew, 1)) != (seed-1)/uint64(max(o.renew, 1)) {
			if err := finish(false); err != nil {
				return 1, err
			}
		}
		if w == nil {
			if dir, err = os.MkdirTemp(o.dir, "w"); err != nil {
				return 1, err
			}
			// The servers of some databases run as an account of their own.
			if err := errors.Join(os.Chmod(o.dir, 0o711), os.Chmod(dir, 0o711)); err != nil {
				return 1, err
			}
			// Process ids are the same in every namespace, and MariaDB names its
			// temporary files by them.
			if err := os.Setenv("TMPDIR", dir); err != nil {
				return 1, err
			}
			wo := chaos.Options{
				Program: o.program, Dir: dir, Namespaces: namespaces, Clock: o.clock, Settle: o.settle, Store: o.store,
				Cluster: o.cluster, Apart: o.cluster && seed/uint64(max(o.renew, 1))%2 == 1,
			}
			if !o.large {
				// The same for a seed, wherever a run began, and never 0.
				wo.Bounds = seed/uint64(max(o.renew, 1)) + 1
			}
			if o.verbose {
				wo.Log = os.Stdout
			}
			if w, err = chaos.New(ctx, wo); err != nil {
				return 1, fmt.Errorf("%w; its logs are in %s", err, dir)
			}
		}
		r, err := w.Round(ctx, chaos.NewSchedule(seed, o.length, able))
		if err != nil {
			return 1, fmt.Errorf("round of seed %d: %w; logs are in %s", seed, err, dir)
		}
		fmt.Printf("round %d %v\n", i+1, r)
		if len(r.Wrong) == 0 {
			continue
		}
		bad++
		fmt.Printf("  logs: %s (events, and of each daemon: console, cache.kept)\n  again: make chaos ROUNDS=1 SEED=%d ARGS='--store=%s --cluster=%v'\n", dir, seed, o.store, o.cluster)
		if err := finish(true); err != nil {
			return 1, err
		}
		if !o.going {
			return 1, nil
		}
	}
	if bad > 0 {
		fmt.Printf("%d of %d rounds found something wrong\n", bad, o.rounds)
		return 1, nil
	}
	fmt.Printf("%d rounds passed\n", o.rounds)
	return 0, nil
}
