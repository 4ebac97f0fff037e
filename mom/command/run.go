package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/terminal"
)

// Prepare sets up a command as a program: name is the name the program was called by, version the
// version it reports.
func Prepare(c *cobra.Command, name, version string) *cobra.Command {
	c.SilenceErrors, c.SilenceUsage = true, true
	c.CompletionOptions.HiddenDefaultCmd = true
	versions := reportOf(c)
	c.SetFlagErrorFunc(func(sub *cobra.Command, err error) error {
		if versions.asked {
			return Exit(0, writeVersions(sub.OutOrStdout(), version))
		}
		who := strings.TrimPrefix(sub.CommandPath(), sub.Root().Name())
		line := name + who + " [options]"
		if _, args, ok := strings.Cut(sub.Use, " "); ok {
			line += " " + args
		}
		return Exit(ExitUsage, fmt.Errorf("Usage: %s\n\n%s: error: %s", line, name+who, plainFlag(err)))
	})
	c.Version = version
	return c
}

// goCause matches what Go's parsers put before the reason for a bad value.
var goCause = regexp.MustCompile(`: (?:strconv|time)[.:] ?(?:[A-Za-z]+: )?(?:parsing|invalid duration|unknown unit|missing unit)[^\n]*$`)

// unknownLetter matches the flag library's error for an unknown one-letter flag.
var unknownLetter = regexp.MustCompile(`^unknown shorthand flag: '(.)' in .*$`)

// plainFlag returns the text of a flag error for users.
func plainFlag(err error) string {
	text := goCause.ReplaceAllString(err.Error(), "")
	if strings.HasPrefix(err.Error()[len(text):], ": time: ") {
		return text + "; give a number with a unit, such as 30s or 5m"
	}
	if name, ok := strings.CutPrefix(text, "unknown flag: "); ok {
		return "no such option: " + name // Salt's words, which scripts look for
	}
	return unknownLetter.ReplaceAllString(text, "no such option: -$1")
}

// Version returns the version that [Prepare] set for the program that c is part
// of.
func Version(c *cobra.Command) string { return c.Root().Version }

// asksForScript reports whether a command line without sub-commands asks for a completion script. No
// function has the name of a shell.
func asksForScript(args []string) bool {
	if len(args) < 2 || args[0] != "completion" {
		return false
	}
	return slices.Contains([]string{"bash", "zsh", "fish", "powershell"}, args[1])
}

// Run runs a prepared command with the arguments after its name until it ends or a signal stops it.
// It returns the exit code. The text of an error, if any, goes to
// errOut.
func Run(c *cobra.Command, args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := untilSignal(context.Background(), func(after time.Duration, running []string) {
		errGuard := terminal.NewGuard(errOut)
		defer errGuard.Flush()
		fmt.Fprintf(errGuard, "%s did not stop within %v of the signal; still running: %s\n", c.CommandPath(), after, strings.Join(running, ", "))
	})
	defer stop()
	if !c.HasSubCommands() && !asksForScript(args) { // otherwise a target could not have the name of the command
		c.CompletionOptions.DisableDefaultCmd = true
	}
	c.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	c.SetIn(in)
	shown, errGuard := terminal.NewGuard(out), terminal.NewGuard(errOut) // all output goes through these
	defer func() {
		_, _ = shown.Flush(), errGuard.Flush() // nowhere else to report it
	}()
	if asksForScript(args) && len(args) == 2 && args[1] == "bash" {
		_, _ = io.WriteString(shown, bashWords) // the script itself notices a closed pipe
	}
	//mutant:terminal-guard
	c.SetOut(shown)
	//mutant:terminal-guard-2
	c.SetErr(errGuard)
	err := c.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if s, yes := inSaltsWay(err); yes {
		for to, text := range map[io.Writer]string{shown: s.out, errGuard: s.err} {
			if text != "" {
				_, _ = fmt.Fprintln(to, text) // nowhere else to report it
			}
		}
		return 0
	}
	var e *exitError
	if !errors.As(err, &e) {
		e = &exitError{code: ExitFailure, err: err}
	}
	//mutant:terminal-guard-of-errors
	if text := e.Error(); text != "" {
		_, _ = fmt.Fprintln(errGuard, text) // nowhere else to report it
	}
	return e.code
}
