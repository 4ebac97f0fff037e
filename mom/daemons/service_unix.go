//go:build unix

package daemons

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/command"
)

func (f *flags) manageService(*cobra.Command, string, func(*cobra.Command, []string) error) error {
	return command.Exit(command.ExitUsage, errors.New("option --service is for Windows; here the service manager starts the daemon (deploy/systemd)"))
}
