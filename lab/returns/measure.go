package returns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/momtree/mom/lab/scale"
	"github.com/momtree/mom/test/program"
)

// Options say what is measured.
type Options struct {
	Runs  int    // how often each benchmark runs
	Jobs  int    // jobs of 2,000 returns that one run has
	Tests string // a built test program of package master; empty: build it
	Only  string // returns or ping alone
}

// Measure runs the benchmarks and the pings, and prints their figures beside their targets.
func Measure(ctx context.Context, o Options) (err error) {
	dir, err := os.MkdirTemp("", "mom-returns-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	have := figures{}
	if o.Only != "ping" {
		if err := returns(ctx, o, dir, have); err != nil {
			return errors.Join(err, table(os.Stdout, have))
		}
	}
	if o.Only != "returns" {
		err = pings(ctx, dir, have)
	}
	return errors.Join(err, table(os.Stdout, have))
}

// returns runs the benchmarks of package master.
func returns(ctx context.Context, o Options, dir string, have figures) error {
	if o.Tests == "" {
		o.Tests = filepath.Join(dir, "master.test")
		if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", o.Tests, "github.com/momtree/mom/master").CombinedOutput(); err != nil {
			return fmt.Errorf("build the benchmarks: %w\n%s", err, out)
		}
	}
	for run := range o.Runs {
		fmt.Printf("returns, run %d of %d\n", run+1, o.Runs)
		cmd := exec.CommandContext(ctx, o.Tests, "-test.run", "^$", "-test.bench", "^Benchmark(StockReturns|HalfLoad)$/^(each|kept|kept1k|mysql)$",
			"-test.benchtime", strconv.Itoa(o.Jobs)+"x")
		cmd.Dir = "master" // where its golden files are found from
		out, err := cmd.CombinedOutput()
		have.read(string(out))
		if err != nil {
			return fmt.Errorf("the benchmarks: %w\n%s", err, out)
		}
	}
	return nil
}

// pings gives commands in trees of real processes.
func pings(ctx context.Context, dir string, have figures) error {
	file := filepath.Join(dir, "mom")
	if err := program.Build(ctx, file); err != nil {
		return err
	}
	lab, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range []string{"500", "10k"} {
		s, err := scale.Find(name)
		if err != nil {
			return err
		}
		fmt.Printf("salt '*' test.ping: %s\n", s.About)
		in := filepath.Join(dir, name)
		if err := os.Mkdir(in, 0o700); err != nil {
			return err
		}
		r, err := scale.Run(ctx, scale.Options{Program: file, Lab: lab, Dir: in, Unhurried: true}, s)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range r.Faults {
			fmt.Println("  FAULT:", f)
		}
		have.add("ping/"+name, "s", float64(r.CLI.Median)/1e9)
	}
	return nil
}
