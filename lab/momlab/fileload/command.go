// Package fileload is the command momlab fileload: a file, pillars and highstates for thousands of minions at once.
package fileload

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

// Command is momlab fileload.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use: "fileload", Short: "Have thousands of minions fetch a file, pillars and highstates at once",
		Long: "momlab fileload exits with status 1 when something failed, is missing, doubled or wrong.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	o := load.FetchOptions{Say: os.Stdout}
	var file string
	fl.StringVar(&o.Program, "program", "", "a built mom (default: build it)")
	fl.StringVar(&o.Salt, "salt", os.Getenv("SALT_PEER"), "the folder of an installed Salt, to measure its salt-master (default: SALT_PEER of the environment)")
	fl.IntVar(&o.Protocol, "protocol", 3, "request protocol of the minions: 2 for Salt up to 3006.11")
	fl.IntVar(&o.Workers, "workers", 0, "Salt's worker_threads (default: its own)")
	fl.IntVar(&o.Minions, "minions", 2000, "minions of the master")
	fl.Float64Var(&o.MomShare, "mom-share", 0, "the share, 0 to 1, of minions that behave as ours")
	fl.IntVar(&o.Megabytes, "mb", 10, "MiB of the file that all fetch at once; 0: none")
	fl.BoolVar(&o.States, "states", false, "then pillar.items and two highstates of all")
	fl.DurationVar(&o.Patience, "patience", 0, "how long one job may take (default 10m)")
	fl.StringVar(&file, "json", "", "write the figures to this file as JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return run(cmd.Context(), o, file)
	}
	return c
}

func run(ctx context.Context, o load.FetchOptions, file string) (err error) {
	if o.Dir, err = os.MkdirTemp("", "mf"); err != nil {
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
