package tree

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/topology/trace"
)

// TraceCommand is mom trace.
func TraceCommand() *cobra.Command {
	var dir, out string
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "trace JID",
		Short: "Show where a job is: per node what it received, what returned, and what it waits for",
		Long: "Asks the master of this machine and, through it, all nodes below where a job is: when\n" +
			"each received, published and closed it, how many minions had to answer and did, what is\n" +
			"stored and what is pending for parents or SQL, who is missing and why, and which minions the\n" +
			"node waits for now. Exit codes: 0 the job is closed, 1 it is unknown or could not be\n" +
			"traced, 2 it is open.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Exit(command.ExitUsage, errors.New("mom trace needs one job id"))
			}
			if out != "text" && out != "json" {
				return command.Exit(command.ExitUsage, fmt.Errorf("--out is %q, must be text or json", out))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cl, err := client.Open(dir)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, cl.Close()) }()
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout+2*time.Second)
			defer cancel()
			s, err := cl.Trace(ctx, args[0], timeout)
			if err != nil {
				return err
			}
			if out == "json" {
				if err := output.Render(cmd.OutOrStdout(), "json", s.Map(), output.Options{}); err != nil {
					return fmt.Errorf("write the trace as JSON: %w", err)
				}
				return openExit(s)
			}
			if err := trace.Draw(cmd.OutOrStdout(), args[0], s); err != nil {
				return fmt.Errorf("draw the trace: %w", err)
			}
			return openExit(s)
		},
	}
	c.Flags().StringVarP(&dir, "config-dir", "c", config.DefaultDir(), "directory with the file master")
	c.Flags().DurationVarP(&timeout, "timeout", "t", 5*time.Second, "how long to wait for the nodes below")
	c.Flags().StringVar(&out, "out", "text", "text or json")
	command.Values(c, "out", "text", "json")
	c.ValidArgsFunction = func(cmd *cobra.Command, before []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(before) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return command.LastJIDs(cmd.Context(), dir, word), cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

// exitOpen is the exit code for an open job.
const exitOpen = 2

func openExit(s trace.Step) error {
	if s.State == trace.Open {
		return command.Exit(exitOpen, nil)
	}
	return nil
}
