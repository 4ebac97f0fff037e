package minion

import (
	"errors"

	"github.com/momtree/mom/internal/channel"
)

// Exit codes of the daemon that unit files use.
const (
	exitGeneric  = 1
	exitRejected = 77 // EX_NOPERM: the master refused our key
	exitFinger   = 42 // the master's key has another fingerprint
)

// ExitCode returns the exit code of Salt's minion for an error of Run.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, channel.ErrBadFinger):
		return exitFinger
	case errors.Is(err, channel.ErrRejected):
		return exitRejected
	default:
		return exitGeneric
	}
}
