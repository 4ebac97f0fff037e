package acl

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/command"
)

// Command is mom acl.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use:   "acl",
		Short: "Explain who may do what, by publisher_acl and external_auth",
		Args:  command.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return command.Exit(command.ExitUsage, errors.New("mom acl needs its command: explain"))
		},
	}
	c.AddCommand(explainCommand())
	return c
}
