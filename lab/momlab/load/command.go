// Package load is the command momlab load: clients and streams on the REST API of a real master.
package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/load"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/test/program"
)

// Command is momlab load.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use: "load", Short: "Put a load of clients and streams on the REST API of a real master",
		Long: "momlab load exits with status 1 when something failed, is missing, doubled or wrong.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	o := load.Options{Say: os.Stdout}
	fl.StringVar(&o.Program, "program", "", "a built mom (default: build it)")
	fl.StringVar(&o.Salt, "salt", "", "the folder of an installed Salt, to measure its salt-api beside its salt-master (with --streams 0)")
	fl.IntVar(&o.Minions, "minions", 20, "minions of the master")
	fl.IntVar(&o.Clients, "clients", 100, "clients that send at the same time")
	fl.IntVar(&o.Requests, "requests", 10_000, "requests of each")
	fl.IntVar(&o.Streams, "streams", 1000, "streams of events")
	fl.IntVar(&o.Returns, "returns", 10_000, "returns that pass while they are open")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return run(cmd.Context(), o)
	}
	return c
}

func run(ctx context.Context, o load.Options) (err error) {
	if o.Dir, err = os.MkdirTemp("", "ml"); err != nil {
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
