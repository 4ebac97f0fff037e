// Package soak is the command momlab soak: a tree under load for hours.
package soak

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
	program, dir, file  string
	hours               float64
	every, kill, sample time.Duration
	minions, readers    int
	keep                bool
}

// Command returns the command momlab soak.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "soak", Short: "Keep a tree of three tiers under load for hours, and check that nothing grows or is lost",
		Long: "momlab soak starts seven masters in three tiers with 2,000 minions and keeps them under load: jobs, states, events,\n" +
			"readers of the REST API, and a node killed every ten minutes. It compares memory, descriptors, threads and disk of\n" +
			"the second quarter with those of the last, and each job with the accounts of the minions. It exits with status 1\n" +
			"when something grew, was lost, or came twice.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.Float64Var(&o.hours, "hours", 2, "how long the load lasts")
	fl.DurationVar(&o.every, "every", 5*time.Second, "time between the starts of two jobs")
	fl.DurationVar(&o.kill, "kill-every", 10*time.Minute, "time between two kills of a node")
	fl.DurationVar(&o.sample, "sample-every", 30*time.Second, "time between two samples of memory, descriptors, threads and disk")
	fl.IntVar(&o.minions, "minions", 500, "minions below each of the four nodes of the lowest tier")
	fl.IntVar(&o.readers, "readers", 4, "event streams of the REST API")
	fl.StringVar(&o.program, "program", "", "a built mom (default: build it)")
	fl.StringVar(&o.dir, "dir", "", "folder for the tree; it stays when something went wrong (default: a new one in the temporary folder)")
	fl.StringVar(&o.file, "json", "", "write the figures to this file")
	fl.BoolVar(&o.keep, "keep", false, "keep the folder")
	c.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) }
	return c
}

func run(ctx context.Context, o options) (err error) {
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "ms"); err != nil { // short: sockets are below it
			return err
		}
	}
	if o.program == "" {
		o.program = filepath.Join(o.dir, "mom")
		if err := program.Build(ctx, o.program); err != nil {
			return err
		}
	}
	lab, err := os.Executable()
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := scale.Soak(ctx, scale.SoakOptions{
		Options: scale.Options{
			Program: o.program, Lab: lab, Dir: o.dir, LogLevel: "warning",
			Say: func(format string, args ...any) {
				fmt.Printf("%7.1fs  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
			},
		},
		For: time.Duration(o.hours * float64(time.Hour)), Every: o.every, KillEvery: o.kill, SampleEvery: o.sample,
		Minions: o.minions, Readers: o.readers,
	})
	err = errors.Join(err, r.Write(os.Stdout))
	for _, f := range r.Faults {
		fmt.Println("  FAULT:", f)
	}
	if o.file != "" {
		text, e := json.MarshalIndent(r, "", "  ")
		err = errors.Join(err, e, os.WriteFile(o.file, append(text, '\n'), 0o600))
	}
	switch {
	case err != nil || o.keep:
		fmt.Println("  its folder:", o.dir)
		return err
	case len(r.Faults) > 0:
		fmt.Println("  its folder:", o.dir)
		return errors.New("the soak found faults")
	}
	return os.RemoveAll(o.dir)
}
