package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/topology"
)

// flags are the options of mom tree.
type flags struct {
	dir             string
	timeout         time.Duration
	out             string
	minions, depth  int
	noColor         bool
	watch, problems bool
}

// Command is mom tree.
func Command() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "tree",
		Short: "Draw the tree of nodes and minions from this master down",
		Long: "Draws the tree of nodes and minions from the master of this machine down, with what\n" +
			"each node reports about itself: minions connected of those accepted, minions at work,\n" +
			"jobs, pending rows of its outbox and the age of the oldest, the round trip to its parent,\n" +
			"the load of its machine, and how far its clock is off.\n\n" +
			"--watch keeps the tree on the screen; ? there shows the keys. --problems lists what an\n" +
			"operator should know. --out json, dot and mermaid are for programs, Graphviz and pages.\n\n" +
			"Exit codes: 0; 1 with --problems if there are problems; 2 if the master does not\n" +
			"answer; 64 for a wrong option.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return command.Exit(command.ExitUsage, err)
			}
			return f.run(cmd)
		},
	}
	c.Flags().StringVarP(&f.dir, "config-dir", "c", config.DefaultDir(), "directory with the file master")
	c.Flags().DurationVarP(&f.timeout, "timeout", "t", 10*time.Second, "how long to wait for the master")
	c.Flags().StringVar(&f.out, "out", "text", "form: text, json, dot, mermaid; with --problems text or json")
	command.Values(c, "out", "text", "json", "dot", "mermaid")
	c.Flags().IntVar(&f.minions, "minions", 20, "minions drawn per node before the rest is counted; 0 draws all; json has all")
	c.Flags().IntVar(&f.depth, "depth", 0, "tiers of nodes drawn, the first included; 0 draws all")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "keep the tree on the screen")
	c.Flags().BoolVar(&f.problems, "problems", false, "list problems instead; exit code 1 if there are any")
	c.Flags().BoolVar(&f.noColor, "no-color", false, "no colours")
	return c
}

func (f *flags) run(cmd *cobra.Command) (err error) {
	cl, err := client.Open(f.dir)
	if err != nil {
		return command.Exit(command.ExitAway, err)
	}
	defer func() { err = errors.Join(err, cl.Close()) }()
	switch {
	case f.watch:
		return f.watchTree(cmd, cl)
	case f.problems:
		return f.listProblems(cmd, cl)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	n, err := cl.Tree(ctx)
	if err != nil {
		return command.Exit(command.ExitAway, fmt.Errorf("the tree cannot be read: %w", err))
	}
	return f.export(cmd.OutOrStdout(), n)
}

// check returns an error for options that exclude each other.
func (f *flags) check(cmd *cobra.Command) error {
	switch {
	case !slices.Contains(topology.Formats(), topology.Format(f.out)):
		return fmt.Errorf("--out is %q, must be text, json, dot or mermaid", f.out)
	case f.depth < 0 || f.minions < 0:
		return errors.New("--depth and --minions must not be negative")
	case f.problems && f.out != "text" && f.out != "json":
		return fmt.Errorf("--out is %s, but problems are written as text or json", f.out)
	case f.watch && (f.problems || cmd.Flags().Changed("out")):
		return errors.New("--watch excludes --problems and --out; the key p shows problems only")
	case f.watch:
		return NeedTerminal(cmd, "mom tree --watch", "mom tree")
	}
	return nil
}

func (f *flags) export(w io.Writer, n topology.Node) error {
	color := !f.noColor && terminal.Is(w)
	return topology.Export(w, n, topology.Format(f.out), topology.DrawOptions{Color: color, MaxMinions: f.minions, Depth: f.depth})
}
