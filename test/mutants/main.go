package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	only := flag.String("only", "", "only mutants whose name begins so")
	unchanged := flag.Bool("baseline", true, "run all tests without a mutant first")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, ".", *only, *unchanged); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be stopped
	}
}

// run tries the mutants of the repository at root and prints a line for each.
func run(ctx context.Context, out io.Writer, root, only string, unchanged bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	all, err := load(filepath.Join(root, "test", "mutants"), only)
	if err != nil {
		return err
	}
	if unchanged {
		if err := baseline(ctx, root, all); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	count := map[verdict]int{}
	for _, m := range all {
		began := time.Now()
		v, why := m.try(ctx, root, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		count[v]++
		fmt.Fprintf(out, "%-9s %-34s %5.1fs  %s\n%46s%s\n", v, m.name, time.Since(began).Seconds(), m.why, "", why)
	}
	fmt.Fprintf(out, "%d mutants: %d killed, %d survived, %d broken\n", len(all), count[killed], count[survived], count[broken])
	if count[killed] != len(all) {
		return errors.New("not every protection is noticed when it is taken out")
	}
	return nil
}
