package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// noArgs refuses arguments as Salt's option parser would an unknown word.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit(exitUsage, fmt.Errorf("unexpected argument %q", args[0]))
	}
	return nil
}

func treeCommand() *cobra.Command {
	var dir string
	var timeout time.Duration
	var minions int
	var noColor bool
	c := &cobra.Command{
		Use:   "tree",
		Short: "Draw the tree of nodes and minions from this master down",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			conf, _, err := config.LoadMaster(dir)
			if err != nil {
				return err
			}
			n, err := fetchTree(ctx, conf)
			if err != nil {
				return err
			}
			color := !noColor && term.IsTerminal(int(os.Stdout.Fd())) //nolint:gosec // a descriptor fits
			return topology.Draw(cmd.OutOrStdout(), n, topology.DrawOptions{Color: color, MaxMinions: minions})
		},
	}
	c.Flags().StringVarP(&dir, "config-dir", "c", "/etc/salt", "folder with the file master")
	c.Flags().DurationVarP(&timeout, "timeout", "t", 10*time.Second, "how long to wait for the master")
	c.Flags().IntVar(&minions, "minions", 20, "minions drawn per node before the rest is counted; 0 draws all")
	c.Flags().BoolVar(&noColor, "no-color", false, "no colours")
	return c
}

// fetchTree asks the master of this machine.
func fetchTree(ctx context.Context, conf *config.Master) (n topology.Node, err error) {
	cl := client.New(client.FromMaster(conf))
	defer func() { err = errors.Join(err, cl.Close()) }()
	v, err := cl.Runner(ctx, "topology.tree", nil, nil)
	if err != nil {
		return n, err
	}
	m, ok := v.(*wire.Map)
	if !ok {
		return n, errors.New("the master's answer is not a tree")
	}
	return topology.FromMap(m)
}
