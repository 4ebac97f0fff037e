// Package mutants is the command momlab mutants, which removes each protection in turn.
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
		Use: "mutants", Short: "Remove each protection in turn: its test must fail",
		Long: "momlab mutants is called in the folder of the repository. It exits with status 1 when a mutant survives.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.StringVar(&only, "only", "", "only mutants with this text in name, title or package")
	fl.BoolVar(&unchanged, "baseline", true, "run all tests without a mutant first")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return mutants.Play(cmd.Context(), os.Stdout, ".", only, unchanged)
	}
	return c
}
