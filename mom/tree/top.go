package tree

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/command"
)

// topFlags are the options of mom top.
type topFlags struct {
	dir, out string
	timeout  time.Duration
	once     bool
}

// TopCommand is mom top.
func TopCommand() *cobra.Command {
	var f topFlags
	c := &cobra.Command{
		Use:   "top",
		Short: "Watch the jobs in flight at this master",
		Long: "Keeps the jobs in flight on the screen: whom they are for, who asked, how many minions\n" +
			"are expected, have returned, will not answer, and what each job waits for; below them the\n" +
			"nodes with the fullest outboxes. ? shows the keys.\n\n" +
			"--once prints one reading; --out json prints it for programs.\n\n" +
			"Exit codes: 0; 2 when the master does not answer; 64 for a wrong option.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	c.Flags().StringVarP(&f.dir, "config-dir", "c", config.DefaultDir(), "directory with the file master")
	c.Flags().DurationVarP(&f.timeout, "timeout", "t", 10*time.Second, "how long to wait for the master")
	c.Flags().BoolVarP(&f.once, "once", "1", false, "print one reading and end")
	c.Flags().StringVar(&f.out, "out", "text", "form of one reading: text or json; json implies --once")
	command.Values(c, "out", "text", "json")
	return c
}

func (f *topFlags) run(cmd *cobra.Command) (err error) {
	if f.out != "text" && f.out != "json" {
		return command.Exit(command.ExitUsage, fmt.Errorf("option --out: %q is neither text nor json", f.out))
	}
	once := f.once || f.out == "json"
	if !once {
		if err := NeedTerminal(cmd, "mom top", "mom top"); err != nil {
			return command.Exit(command.ExitUsage, err)
		}
	}
	cl, err := client.Open(f.dir)
	if err != nil {
		return command.Exit(command.ExitAway, err)
	}
	defer func() { err = errors.Join(err, cl.Close()) }()
	fetch := func() Work {
		ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
		defer cancel()
		return askWork(ctx, cl)
	}
	if !once {
		return Show(cmd, NewTop(fetch, nil), cl)
	}
	w := fetch()
	if w.Err != nil {
		return command.Exit(command.ExitAway, fmt.Errorf("the jobs in flight cannot be read: %w", w.Err))
	}
	if f.out == "json" {
		return workJSON(cmd.OutOrStdout(), w)
	}
	return workText(cmd.OutOrStdout(), w)
}
