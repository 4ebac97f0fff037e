package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/options"
)

// Salt is one of Salt's own commands: its line is read by the rules of package
// options, its errors and its help look like Salt's.
type Salt struct {
	Name  string
	Usage string // behind the name
	Short string
	// Begin registers the options and returns what runs the command. It is
	// called for each run, so that no state stays between two.
	Begin func(s *options.Set) func(cmd *cobra.Command, words []string) error
	// Targets registers the options as Begin does and gives what completes the first word, of
	// which the beginning is there; nil: nothing does.
	Targets func(s *options.Set) func(ctx context.Context, begun string) []string
	// Functions are the names that complete the function; nil: nothing does. It is the first
	// word, or the second behind a target.
	Functions func() []string
	// Arguments registers the options as Begin does and gives what completes a word behind the
	// function, of which the beginning is there, after the words before it; nil: nothing does.
	Arguments func(s *options.Set) func(ctx context.Context, words []string, begun string) []string
	// Examples are lines of the help and of the manual page; "": none.
	Examples string
}

// errDone ends the reading of options when one of them (--help) has done it all.
var errDone = errors.New("nothing is left to do")

// Command makes the command.
func (o Salt) Command() *cobra.Command {
	c := &cobra.Command{
		Use:                o.Name + " " + o.Usage,
		Short:              o.Short,
		DisableFlagParsing: true, // options may be cut short, and numbers are arguments
		RunE: func(cmd *cobra.Command, args []string) error {
			var s options.Set
			out := cmd.OutOrStdout()
			s.Do("--version", "show the version and exit", func() error {
				_, err := fmt.Fprintln(out, o.Name, Version(cmd))
				return errors.Join(errDone, err)
			})
			s.Do("-V --"+versionsFlag, versionsHelp, func() error { return errors.Join(errDone, writeVersions(out, Version(cmd))) })
			s.Do("-h --help", "show this help and exit", func() error { return errors.Join(errDone, o.help(out)) })
			s.Do("--hard-crash", crashHelp, crash)
			s.Text(new(string), "--saltfile", "FILE", saltfileHelp)
			run := o.Begin(&s)
			before, err := o.saltfileWords(args)
			if err != nil {
				return Exit(ExitUsage, err)
			}
			words, err := s.Parse(append(before, args...))
			var wrong *options.Error
			switch {
			case errors.Is(err, errDone):
				return nil
			case errors.As(err, &wrong):
				return o.wrong(wrong.Text)
			case err != nil:
				return err
			}
			err = run(cmd, words)
			if errors.As(err, &wrong) {
				return o.wrong(wrong.Text)
			}
			return err
		},
	}
	c.ValidArgsFunction = func(cmd *cobra.Command, before []string, word string) ([]string, cobra.ShellCompDirective) {
		found, free := o.options().Complete(before, word)
		switch {
		case free:
			return nil, cobra.ShellCompDirectiveDefault
		case len(found) == 0:
			return o.targets(cmd.Context(), before, word)
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	c.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = o.help(cmd.OutOrStdout()) }) // a closed terminal needs no help
	return c
}

// targets completes the first word of a line that is no option.
func (o Salt) targets(ctx context.Context, before []string, word string) ([]string, cobra.ShellCompDirective) {
	if strings.HasPrefix(word, "-") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var s options.Set
	o.common(&s)
	targets := 0
	var complete func(context.Context, string) []string
	var arguments func(context.Context, []string, string) []string
	switch {
	case o.Targets != nil:
		targets, complete = 1, o.Targets(&s)
	case o.Arguments != nil:
		arguments = o.Arguments(&s)
	default:
		o.Begin(&s)
	}
	words, err := s.Parse(before)
	if ctx == nil {
		ctx = context.Background()
	}
	switch {
	case err != nil:
	case len(words) == targets && o.Functions != nil:
		return begun(o.Functions(), word), cobra.ShellCompDirectiveNoFileComp
	case len(words) > targets && arguments != nil:
		return arguments(ctx, words, word), cobra.ShellCompDirectiveNoFileComp
	case len(words) == 0 && complete != nil:
		return complete(ctx, word), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// begun are the names that begin with a text.
func begun(names []string, with string) (out []string) {
	for _, n := range names {
		if strings.HasPrefix(n, with) {
			out = append(out, n)
		}
	}
	return out
}

// Meant is a line with the function that a mistyped one was meant to be, as one of names;
// "" if it is among them or like none.
func Meant(fun string, names []string) string {
	if slices.Contains(names, fun) {
		return ""
	}
	near := config.Similar(fun, names)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("Did you mean %s?", near)
}

// wrong is the error of a line that cannot be understood.
func (o Salt) wrong(text string) error {
	return Exit(ExitUsage, fmt.Errorf("Usage: %s %s\n\n%s: error: %s", o.Name, o.Usage, o.Name, text))
}

// options are those of the command, to be told of and not to be run.
func (o Salt) options() *options.Set {
	var s options.Set
	o.common(&s)
	o.Begin(&s)
	return &s
}

// common are those that all commands have, which do nothing here.
func (o Salt) common(s *options.Set) {
	none := func() error { return nil }
	s.Do("--version", "show the version and exit", none)
	s.Do("-V --"+versionsFlag, versionsHelp, none)
	s.Do("-h --help", "show this help and exit", none)
	s.Do("--hard-crash", crashHelp, none)
	s.Text(new(string), "--saltfile", "FILE", saltfileHelp)
}

const (
	crashHelp    = "if the program crashes, show all goroutines and end with a core dump"
	saltfileHelp = "read options from this file; default: SALT_SALTFILE, Saltfile in the working folder if only you can write it, ~/.salt/Saltfile"
)

// crash is --hard-crash.
func crash() error {
	debug.SetTraceback("crash")
	return nil
}

func (o Salt) help(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "Usage: %s %s\n\n%s.\n\n", o.Name, o.Usage, o.Short); err != nil {
		return err
	}
	if err := o.options().WriteHelp(w); err != nil || o.Examples == "" {
		return err
	}
	_, err := fmt.Fprintf(w, "\nExamples:\n%s", o.Examples)
	return err
}
