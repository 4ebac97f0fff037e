// Command fetch has many minions fetch a file, pillars and highstates from a master at once, and
// prints what came of it. It exits with status 1 when something is missing, doubled or wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/momtree/mom/test/load"
	"github.com/momtree/mom/test/program"
)

func main() {
	o := load.FetchOptions{Say: os.Stdout}
	var file string
	flag.StringVar(&o.Program, "program", "", "a built mom (default: build it)")
	flag.StringVar(&o.Salt, "salt", os.Getenv("SALT_PEER"), "the folder of an installed Salt, to measure its salt-master (default: SALT_PEER of the environment)")
	flag.IntVar(&o.Protocol, "protocol", 3, "request protocol of the minions: 2 for Salt up to 3006.11")
	flag.IntVar(&o.Workers, "workers", 0, "Salt's worker_threads (default: its own)")
	flag.IntVar(&o.Minions, "minions", 2000, "minions of the master")
	flag.Float64Var(&o.MomShare, "mom-share", 0, "the share, 0 to 1, of minions that behave as ours")
	flag.IntVar(&o.Megabytes, "mb", 10, "MiB of the file that all fetch at once; 0: none")
	flag.BoolVar(&o.States, "states", false, "then pillar.items and two highstates of all")
	flag.DurationVar(&o.Patience, "patience", 0, "how long one job may take (default 10m)")
	flag.StringVar(&file, "json", "", "write the figures to this file as JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, file); err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be stopped
	}
}

func run(ctx context.Context, o load.FetchOptions, file string) (err error) {
	if o.Dir, err = os.MkdirTemp("", "mom-fetch-"); err != nil {
		return err
	}
	defer func() {
		if err == nil { // else the logs are wanted
			err = os.RemoveAll(o.Dir)
		}
	}()
	if o.Program == "" && o.Salt == "" {
		o.Program = filepath.Join(o.Dir, "mom")
		if err := program.Build(ctx, o.Program); err != nil {
			return err
		}
	}
	f, err := load.Fetch(ctx, o)
	err = errors.Join(err, f.Write(os.Stdout))
	if file != "" {
		err = errors.Join(err, write(f, file))
	}
	for _, fault := range f.Faults() {
		err = errors.Join(err, errors.New("FAULT: "+fault))
	}
	if err != nil {
		err = fmt.Errorf("%w\nlogs are in %s", err, o.Dir)
	}
	return err
}

func write(f load.FetchFigures, file string) error {
	w, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(f.JSON(w), w.Close())
}
