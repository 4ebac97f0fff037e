// Package returns is the command momlab returns: how many returns a master takes and how soon jobs end.
package returns

import (
	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/returns"
	"github.com/momtree/mom/mom/command"
)

// Command is momlab returns.
func Command() *cobra.Command {
	var o returns.Options
	c := &cobra.Command{
		Use: "returns", Short: "Measure how many returns a master takes and how soon jobs end, beside their targets",
		Long: "momlab returns is called in the folder of the repository.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.IntVar(&o.Runs, "runs", 3, "how often each benchmark runs")
	fl.IntVar(&o.Jobs, "jobs", 10, "jobs of 2,000 returns that one run has")
	fl.StringVar(&o.Tests, "tests", "", "a built test program of package master (default: build it)")
	fl.StringVar(&o.Only, "only", "", "returns or ping alone")
	c.RunE = func(cmd *cobra.Command, _ []string) error { return returns.Measure(cmd.Context(), o) }
	return c
}
