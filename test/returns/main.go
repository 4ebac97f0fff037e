package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/momtree/mom/test/program"
	"github.com/momtree/mom/test/scale"
)

type options struct {
	runs, jobs int
	tests      string // a built test program of package master
	only       string
}

func main() {
	var o options
	flag.IntVar(&o.runs, "runs", 3, "how often each benchmark runs")
	flag.IntVar(&o.jobs, "jobs", 10, "jobs of 2,000 returns that one run has")
	flag.StringVar(&o.tests, "tests", "", "a built test program of package master (default: build it)")
	flag.StringVar(&o.only, "only", "", "returns or ping alone")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "returns:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "mom-returns-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	have := figures{}
	if o.only != "ping" {
		if err := returns(ctx, o, dir, have); err != nil {
			return errors.Join(err, table(os.Stdout, have))
		}
	}
	if o.only != "returns" {
		err = pings(ctx, dir, have)
	}
	return errors.Join(err, table(os.Stdout, have))
}

// returns runs the benchmarks of package master.
func returns(ctx context.Context, o options, dir string, have figures) error {
	if o.tests == "" {
		o.tests = filepath.Join(dir, "master.test")
		if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", o.tests, "github.com/momtree/mom/master").CombinedOutput(); err != nil {
			return fmt.Errorf("build the benchmarks: %w\n%s", err, out)
		}
	}
	for run := range o.runs {
		fmt.Printf("returns, run %d of %d\n", run+1, o.runs)
		cmd := exec.CommandContext(ctx, o.tests, "-test.run", "^$", "-test.bench", "^Benchmark(StockReturns|HalfLoad)$/^(each|kept|kept1k|mysql)$",
			"-test.benchtime", strconv.Itoa(o.jobs)+"x")
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
		r, err := scale.Run(ctx, scale.Options{Program: file, Dir: in, Unhurried: true}, s)
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
