// Package scale is the command momlab scale: trees of real processes with thousands of minions.
package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/scale"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/test/program"
)

type options struct {
	shape, program, dir, file, level string
	runs, minions, jobs              int
	processors                       float64
	keep, hold, unhurried            bool
}

// Command is momlab scale.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "scale", Short: "Play trees of real processes with 2,000 to 100,000 minions, and check their accounts",
		Long: "momlab scale plays shapes of trees, each --runs times, and prints a table. It exits with status 1 if a run\n" +
			"found a fault.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.StringVar(&o.shape, "shape", "all", "shape to play, or all: 2k, 4x2500, 3tiers, their variants, 100k (not part of all)")
	fl.IntVar(&o.runs, "runs", 1, "runs of each shape")
	fl.IntVar(&o.minions, "minions", 0, "minions below each node of the lowest tier, instead of the shape's number")
	fl.IntVar(&o.jobs, "jobs", 0, "jobs, instead of the shape's number")
	fl.Float64Var(&o.processors, "processors", 0, "processors of all masters and nodes together, instead of the shape's: 0.25 is a quarter of one")
	fl.StringVar(&o.program, "program", "", "a built mom (default: build it)")
	fl.StringVar(&o.dir, "dir", "", "directory for the trees; those with a fault stay (default: a new one in the temporary directory)")
	fl.StringVar(&o.file, "json", "", "write the figures to this file")
	fl.StringVar(&o.level, "log-level", "warning", "log level of the nodes")
	fl.BoolVar(&o.keep, "keep", false, "keep all directories")
	fl.BoolVar(&o.hold, "hold", false, "wait for Enter once all minions are ready, before the first job")
	fl.BoolVar(&o.unhurried, "unhurried", false, "do not check durations: for a busy machine")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		ok, err := play(cmd.Context(), o)
		if err == nil && !ok {
			err = errors.New("a run found a fault")
		}
		return err
	}
	return c
}

// play plays all runs and reports whether each was without fault.
func play(ctx context.Context, o options) (ok bool, err error) {
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "ms"); err != nil { // short: sockets are below it
			return false, err
		}
		defer os.Remove(o.dir)
	}
	var shapes []scale.Shape
	if o.shape != "all" {
		s, err := scale.Find(o.shape)
		if err != nil {
			return false, err
		}
		shapes = append(shapes, s)
	} else {
		for _, s := range scale.Shapes() {
			if !s.Extra {
				shapes = append(shapes, s)
			}
		}
	}
	if o.program == "" {
		o.program = filepath.Join(o.dir, "mom")
		defer os.Remove(o.program)
		if err := program.Build(ctx, o.program); err != nil {
			return false, err
		}
	}
	var results []scale.Result
	ok = true
	for run := range o.runs {
		for _, s := range shapes {
			r, err := one(ctx, o, s, run)
			results = append(results, r)
			if err != nil {
				return false, errors.Join(fmt.Errorf("%s: %w", s.Name, err), show(o, results))
			}
			ok = ok && len(r.Faults) == 0
		}
	}
	return ok, show(o, results)
}

func one(ctx context.Context, o options, s scale.Shape, run int) (scale.Result, error) {
	if o.minions > 0 {
		s.Minions = o.minions
	}
	if o.jobs > 0 {
		s.Jobs, s.Kills = o.jobs, min(s.Kills, o.jobs-1)
	}
	if o.processors > 0 {
		s.Processors = o.processors
	}
	dir := filepath.Join(o.dir, fmt.Sprintf("%s-%d", s.Name, run+1))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return scale.Result{}, err
	}
	began := time.Now()
	lab, err := os.Executable()
	if err != nil {
		return scale.Result{}, err
	}
	opt := scale.Options{
		Program: o.program, Lab: lab, Dir: dir, LogLevel: o.level, Unhurried: o.unhurried,
		Say: func(format string, args ...any) {
			fmt.Printf("%7.1fs  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		},
	}
	if o.hold {
		opt.Pause = func() {
			fmt.Print("all minions are ready; press Enter to continue: ")
			_, _ = fmt.Scanln() // the end of input continues too
		}
	}
	r, err := scale.Run(ctx, opt, s)
	for _, f := range r.Faults {
		fmt.Println("  FAULT:", f)
	}
	if err != nil || len(r.Faults) > 0 || o.keep {
		fmt.Println("  directory:", dir)
		return r, err
	}
	return r, os.RemoveAll(dir)
}

func show(o options, results []scale.Result) error {
	err := scale.Table(os.Stdout, results)
	if o.file == "" {
		return err
	}
	text, e := json.MarshalIndent(results, "", "  ")
	if e == nil {
		e = os.WriteFile(o.file, append(text, '\n'), 0o644)
	}
	return errors.Join(err, e)
}
