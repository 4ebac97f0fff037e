//go:build linux

// Package galera is the command momlab galera: a Galera cluster broken while mom writes to it.
package galera

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/chaos"
	"github.com/momtree/mom/lab/galera"
	"github.com/momtree/mom/mom/command"
)

// Command is momlab galera.
func Command() *cobra.Command {
	var o galera.Options
	var network string
	c := &cobra.Command{
		Use: "galera", Short: "Break a Galera cluster by seed while mom writes jobs to it, and compare every row",
		Long: "momlab galera starts three MariaDB servers with Galera and writers that store jobs as nodes of a tree do. It kills,\n" +
			"freezes, cuts and fills the servers in turn. It exits with status 1 when a row is lost, doubled or differs.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.IntVar(&o.Kills, "kills", 50, "how often each server is killed; each other fault comes a tenth as often, at least once")
	fl.Uint64Var(&o.Seed, "seed", 1, "seed of the faults")
	fl.IntVar(&o.Writers, "writers", 4, "how many writers, at least 3")
	fl.IntVar(&o.Rate, "rate", 500, "returns a second that the writers store together")
	fl.DurationVar(&o.Timeout, "timeout", 30*time.Second, "bound of a statement of mom")
	fl.DurationVar(&o.Suspect, "suspect", 5*time.Second, "how long a server may be silent until the others go on without it")
	fl.DurationVar(&o.Settle, "settle", 5*time.Minute, "how long the last rows may take to reach SQL")
	fl.BoolVar(&o.Short, "short", false, "one fault of each kind alone")
	fl.StringVar(&o.Dir, "dir", "", "folder for everything, kept if something is wrong (default: a new one in the temporary folder)")
	fl.StringVar(&network, "network", "auto", "namespaces, loopback, or auto: namespaces where they are permitted")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		code, err := run(cmd.Context(), o, network)
		if err != nil || code != 0 {
			return command.Exit(max(code, 1), err)
		}
		return nil
	}
	return c
}

func run(ctx context.Context, o galera.Options, network string) (code int, err error) {
	if chaos.Inside() {
		chaos.Settle()
		o.Namespaces = true
		return play(ctx, o)
	}
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "mg"); err != nil {
			return 1, err
		}
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return 1, err
	}
	defer func() {
		if code == 0 && err == nil {
			err = os.RemoveAll(o.Dir)
		}
	}()
	if network != "loopback" {
		args := []string{
			"galera", fmt.Sprintf("--kills=%d", o.Kills), fmt.Sprintf("--seed=%d", o.Seed), fmt.Sprintf("--writers=%d", o.Writers),
			fmt.Sprintf("--rate=%d", o.Rate), "--timeout=" + o.Timeout.String(), "--settle=" + o.Settle.String(), "--suspect=" + o.Suspect.String(),
			fmt.Sprintf("--short=%v", o.Short), "--dir=" + o.Dir,
		}
		code, err := chaos.Enter(args)
		if !errors.Is(err, chaos.ErrNotPermitted) || network == "namespaces" {
			return code, err
		}
		fmt.Println("galera:", err, "- playing on loopback addresses, without cuts and full disks")
	}
	return play(ctx, o)
}

func play(ctx context.Context, o galera.Options) (int, error) {
	// Process ids are the same in every namespace, and MariaDB names temporary files by them.
	if err := os.Setenv("TMPDIR", o.Dir); err != nil {
		return 1, err
	}
	o.Out = os.Stdout
	rep, err := galera.Run(ctx, o)
	if rep != nil && rep.Took > 0 {
		err = errors.Join(err, rep.Print(os.Stdout))
	}
	if err != nil {
		return 1, fmt.Errorf("%w; logs are in %s", err, o.Dir)
	}
	if !rep.Good() {
		fmt.Printf("something is wrong; logs are in %s\n  again: make galera ARGS='--seed %d --kills %d'\n", o.Dir, o.Seed, o.Kills)
		return 1, nil
	}
	fmt.Println("every row is at all three servers, once")
	return 0, nil
}
