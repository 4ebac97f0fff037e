package daemons

import (
	"fmt"
	"runtime"

	"github.com/momtree/mom/mom/command"
)

// refuseRole returns an error on a system on which a role does not run: on Windows there are
// minions and commands only, as with Salt.
func refuseRole(role string) error {
	if runtime.GOOS != "windows" {
		return nil
	}
	return command.Exit(command.ExitUsage, fmt.Errorf("mom %s does not run on Windows; run it on Linux, and a minion here", role))
}
