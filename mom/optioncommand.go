package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/options"
)

// optionCommand is one of Salt's own commands: its line is read by the rules of
// package options, its errors and its help look like Salt's.
type optionCommand struct {
	name  string
	usage string // behind the name
	short string
	// begin registers the options and returns what runs the command. It is
	// called for each run, so that no state stays between two.
	begin func(s *options.Set) func(cmd *cobra.Command, words []string) error
}

// errDone ends the reading of options when one of them (--help) has done it all.
var errDone = errors.New("nothing is left to do")

func (o optionCommand) command() *cobra.Command {
	c := &cobra.Command{
		Use:                o.name + " " + o.usage,
		Short:              o.short,
		DisableFlagParsing: true, // options may be cut short, and numbers are arguments
		RunE: func(cmd *cobra.Command, args []string) error {
			var s options.Set
			out := cmd.OutOrStdout()
			s.Do("--version", "show the version and exit", func() error {
				_, err := fmt.Fprintln(out, o.name, version())
				return errors.Join(errDone, err)
			})
			s.Do("-h --help", "show this help and exit", func() error { return errors.Join(errDone, o.help(out)) })
			run := o.begin(&s)
			words, err := s.Parse(args)
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
	c.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = o.help(cmd.OutOrStdout()) }) // a closed terminal needs no help
	return c
}

// wrong is the error of a line that cannot be understood.
func (o optionCommand) wrong(text string) error {
	return exit(exitUsage, fmt.Errorf("Usage: %s %s\n\n%s: error: %s", o.name, o.usage, o.name, text)) //nolint:staticcheck // the text of Salt's option parser
}

func (o optionCommand) help(w io.Writer) error {
	var s options.Set
	none := func() error { return nil }
	s.Do("--version", "show the version and exit", none)
	s.Do("-h --help", "show this help and exit", none)
	o.begin(&s)
	if _, err := fmt.Fprintf(w, "Usage: %s %s\n\n%s.\n\n", o.name, o.usage, o.short); err != nil {
		return err
	}
	return s.WriteHelp(w)
}

// maxStdin bounds what --args-stdin reads.
const maxStdin = 16 << 20

// stdinWords are the arguments of --args-stdin: one per line.
func stdinWords(in io.Reader) ([]string, error) {
	var words []string
	lines := bufio.NewScanner(io.LimitReader(in, maxStdin+1))
	lines.Buffer(nil, maxStdin)
	for lines.Scan() {
		words = append(words, strings.TrimSpace(lines.Text()))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--args-stdin: %w", err)
	}
	return words, nil
}
