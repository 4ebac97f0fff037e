// Command runs puts a load on the REST API and prints what came of it. It exits with
// status 1 when something failed or was lost without a word.
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
	o := load.Options{Say: os.Stdout}
	flag.StringVar(&o.Program, "program", "", "a built mom (default: build it)")
	flag.StringVar(&o.Salt, "salt", "", "the folder of an installed Salt, to measure its salt-api beside its salt-master (with -streams 0)")
	flag.IntVar(&o.Minions, "minions", 20, "minions of the master")
	flag.IntVar(&o.Clients, "clients", 100, "clients that send at the same time")
	flag.IntVar(&o.Requests, "requests", 10_000, "requests of each")
	flag.IntVar(&o.Streams, "streams", 1000, "streams of events")
	flag.IntVar(&o.Returns, "returns", 10_000, "returns that pass while they are open")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be stopped
	}
}

func run(ctx context.Context, o load.Options) (err error) {
	if o.Dir, err = os.MkdirTemp("", "mom-load-"); err != nil {
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
	f, err := load.Run(ctx, o)
	err = errors.Join(err, f.Write(os.Stdout))
	for _, fault := range f.Faults() {
		err = errors.Join(err, errors.New("FAULT: "+fault))
	}
	if err != nil {
		err = fmt.Errorf("%w\nlogs are in %s", err, o.Dir)
	}
	return err
}
