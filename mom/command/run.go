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

// Prepare sets what all commands have in common on the one that a program is: name
// is what the program was called as, version what it tells of itself.
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

// goCause is what Go's own parsers put before the reason for a value of a flag.
var goCause = regexp.MustCompile(`: (?:strconv|time)[.:] ?(?:[A-Za-z]+: )?(?:parsing|invalid duration|unknown unit|missing unit)[^\n]*$`)

// unknownLetter is the error of a flag of one letter, which the flag library puts in its words.
var unknownLetter = regexp.MustCompile(`^unknown shorthand flag: '(.)' in .*$`)

// plainFlag is an error of a flag in words for its user.
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

// Version is what the program that c is part of tells of itself: the version that
// [Prepare] was given.
func Version(c *cobra.Command) string { return c.Root().Version }

// asksForScript tells whether a command line without sub-commands asks for a completion
// script. No function that a target could be asked to run is called like a shell.
func asksForScript(args []string) bool {
	if len(args) < 2 || args[0] != "completion" {
		return false
	}
	return slices.Contains([]string{"bash", "zsh", "fish", "powershell"}, args[1])
}

// Run runs a command, which has been prepared, with the words behind its name until
// it ends or a signal ends it. It returns the exit code; the text of an error, if it
// has one, goes to errOut.
func Run(c *cobra.Command, args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := untilSignal(context.Background(), func(after time.Duration, running []string) {
		told := terminal.NewGuard(errOut)
		defer told.Flush()
		fmt.Fprintf(told, "%s did not stop within %v of the signal; still running: %s\n", c.CommandPath(), after, strings.Join(running, ", "))
	})
	defer stop()
	if !c.HasSubCommands() && !asksForScript(args) { // else its first word could not be a target of that name
		c.CompletionOptions.DisableDefaultCmd = true
	}
	c.SetArgs(append([]string{}, args...)) // nil would be the words of this process
	c.SetIn(in)
	shown, told := terminal.NewGuard(out), terminal.NewGuard(errOut) // the one way to the terminal
	defer func() {
		_, _ = shown.Flush(), told.Flush() // there is nowhere else to tell
	}()
	if asksForScript(args) && len(args) == 2 && args[1] == "bash" {
		_, _ = io.WriteString(shown, bashWords) // the script itself finds out that nobody reads
	}
	//mutant:terminal-guard
	c.SetOut(shown)
	//mutant:terminal-guard-2
	c.SetErr(told)
	err := c.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if s, yes := inSaltsWay(err); yes {
		for to, text := range map[io.Writer]string{shown: s.out, told: s.err} {
			if text != "" {
				_, _ = fmt.Fprintln(to, text) // there is nowhere else to tell
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
		_, _ = fmt.Fprintln(told, text) // there is nowhere else to tell
	}
	return e.code
}
