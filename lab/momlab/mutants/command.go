// Package mutants is the command momlab mutants: each protection taken out in turn.
package mutants

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/mutants"
	"github.com/momtree/mom/mom/command"
)

// Command is momlab mutants.
func Command() *cobra.Command {
	var only string
	var unchanged bool
	c := &cobra.Command{
		Use: "mutants", Short: "Take each protection out in turn: its test has to fail",
		Long: "momlab mutants is called in the folder of the repository. It exits with status 1 when a mutant survives.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.StringVar(&only, "only", "", "only mutants whose name begins so")
	fl.BoolVar(&unchanged, "baseline", true, "run all tests without a mutant first")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return mutants.Play(cmd.Context(), os.Stdout, ".", only, unchanged)
	}
	return c
}
