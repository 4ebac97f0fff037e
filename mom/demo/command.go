package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/command"
)

// Command is mom demo.
func Command() *cobra.Command {
	var keep bool
	var dir, tree, page string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Grow a whole tree on this machine, run jobs in it, and show what happens",
		Long: "Starts a tree of three tiers on loopback, in a temporary directory and on free ports:\n" +
			"a top master, two syndic nodes, one more tier below one of them, and six minions, each\n" +
			"a process of its own. Then it runs jobs from the top, kills a minion, and shows where\n" +
			"the results are. At the end it stops and removes everything; with --page the tree runs\n" +
			"until interrupted, and its page can be opened in a browser.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			exe, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			if dir == "" {
				if dir, err = os.MkdirTemp("", "mom-demo-"); err != nil {
					return err
				}
				if !keep {
					defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
				}
			}
			if dir, err = filepath.Abs(dir); err != nil {
				return err
			}
			mark, err := claim(dir)
			if err != nil {
				return err
			}
			defer mark.Close()
			started := time.Now()
			err = Run(cmd.Context(), Options{
				Exe: exe, Dir: dir, Tree: tree, Keep: keep, Page: page, Out: cmd.OutOrStdout(),
			})
			if errors.Is(err, context.Canceled) {
				return command.Exit(130, errors.New("interrupted; everything is stopped"))
			}
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "\nThe whole demo took %.1f s.\n", time.Since(started).Seconds())
			}
			return err
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "leave the tree running until interrupted, and keep its directory")
	c.Flags().StringVar(&dir, "dir", "", "directory of the tree: empty, or of a previous demo (default: a temporary one)")
	c.Flags().StringVar(&tree, "tree", Tree, "the tree, drawn by indentation: \"node: minion minion\", two blanks per tier")
	c.Flags().StringVar(&page, "page", "", "serve the REST API and the page of the tree at this address, such as 127.0.0.1:8000, until interrupted; user and password are printed")
	return c
}
