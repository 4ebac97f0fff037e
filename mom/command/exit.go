package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// Exit codes of the commands, as Salt's (reference: sysexits.h).
const (
	ExitFailure = 1
	ExitAway    = 2 // of views when there is nothing to see: the master does not answer, or its configuration cannot be read
	ExitPorts   = 4 // of daemons whose ports are taken
	ExitUsage   = 64
	ExitNoUser  = 67
)

// exitError carries the exit code of a command. Its text, if any, goes to
// standard error.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// Exit makes a command end with code after printing err, which may be nil.
func Exit(code int, err error) error { return &exitError{code: code, err: err} }

// Code is the exit code that err ends a command with.
func Code(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.code
	}
	return ExitFailure
}

// NoArgs refuses arguments as Salt's option parser would an unknown word.
func NoArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Exit(ExitUsage, fmt.Errorf("unexpected argument %q", args[0]))
	}
	return nil
}
