package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes of the commands, as Salt's (reference: sysexits.h).
const (
	exitFailure = 1
	exitUsage   = 64
	exitNoUser  = 67
	exitPorts   = 4
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

// exit makes a command end with code after printing err, which may be nil.
func exit(code int, err error) error { return &exitError{code: code, err: err} }

// run is the whole program: it returns the exit code.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	cmd := commandFor(args[0])
	cmd.SetArgs(args[1:])
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var e *exitError
	if !errors.As(err, &e) {
		e = &exitError{code: exitFailure, err: err}
	}
	if text := e.Error(); text != "" {
		_, _ = fmt.Fprintln(errOut, text) // there is nowhere else to tell
	}
	return e.code
}

// commandFor gives the command that the program's name asks for: Salt's names
// stand for themselves, any other is mom with its sub-commands.
func commandFor(arg0 string) *cobra.Command {
	name := filepath.Base(arg0)
	for _, c := range saltCommands() {
		if c.Name() == name {
			return prepare(c, name)
		}
	}
	if kind, ok := strings.CutPrefix(name, "salt-"); ok {
		for _, c := range daemonCommands() {
			if c.Name() == kind {
				return prepare(c, name)
			}
		}
	}
	root := &cobra.Command{
		Use:   "mom",
		Short: "Salt's control plane around the tree of masters",
		Long: "mom runs and looks at a tree of Salt masters: the daemons master, syndic and\n" +
			"minion, Salt's own commands, and views of the tree. Called as salt, salt-key,\n" +
			"salt-run, salt-call, salt-master, salt-minion or salt-syndic it is that command.",
		Version: version(),
	}
	root.AddCommand(daemonCommands()...)
	root.AddCommand(saltCommands()...)
	root.AddCommand(treeCommand(), topCommand(), traceCommand(), demoCommand(), healthCommand(), seedCommand(), nodeCommand())
	root.AddCommand(planCommand(), simCommand())
	return prepare(root, "mom")
}

// prepare sets what all commands have in common.
func prepare(c *cobra.Command, name string) *cobra.Command {
	c.SilenceErrors, c.SilenceUsage = true, true
	c.CompletionOptions.HiddenDefaultCmd = true
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return exit(exitUsage, fmt.Errorf("Usage: %s [options]\n\n%s: error: %w", name, name, err)) //nolint:staticcheck // the text of Salt's option parser
	})
	if c.Version == "" {
		c.Version = version()
	}
	return c
}
