package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/mom/options"
)

// Output holds the options for showing results.
type Output struct {
	Outputter      string // "": nested, or the one that suits the result
	unknown        string // a nonexistent outputter on the command line
	File           string // "": standard output
	appendFile     bool
	indent         *int
	noColor, color bool

	stateOutput string // "": as configured
	verbose     *bool
	diff        bool
	states      output.States
	table       output.TableForm
	theme       output.Theme
	paint       string // the option color: true, false, or "" for terminals only
}

// choice returns Salt's error for a value that an option does not accept.
func choice(v string, of []string) error {
	return &options.Error{Text: fmt.Sprintf("invalid choice: '%s' (choose from '%s')", v, strings.Join(of, "', '"))}
}

// Register adds the options to a command.
func (f *Output) Register(s *options.Set) {
	s.Group("Output Options")
	s.Func("--out --output", "OUTPUT", "output format of results: "+strings.Join(output.Names(), ", ")+"; default: nested, and highstate for results of states", func(v string) error {
		f.Outputter, f.unknown = v, ""
		if !output.Known(v) { // as in Salt
			f.Outputter, f.unknown = "nested", v
		}
		return nil
	})
	s.Values("--out", output.Names()...)
	s.Func("--out-indent --output-indent", "N", "blanks per level of json and yaml; negative: one line", func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil {
			return &options.Error{Text: fmt.Sprintf("invalid integer value: '%s'", v)}
		}
		f.indent = &n
		return nil
	})
	s.Text(&f.File, "--out-file --output-file", "FILE", "write the results to this file")
	s.Bool(&f.appendFile, "--out-file-append --output-file-append", "append to the file of --out-file instead of replacing it")
	s.Func("--state-output --state_output", "FORM", "form of states in highstate: full, terse, mixed, changes, filter, each also with _id; default: the option state_output", func(v string) error {
		if !slices.Contains(output.StateOutputs, strings.ToLower(v)) {
			return choice(v, output.StateOutputs)
		}
		f.stateOutput = strings.ToLower(v)
		return nil
	})
	s.Values("--state-output", output.StateOutputs...)
	s.Func("--state-verbose --state_verbose", "BOOL", "False: highstate leaves out states that succeeded without a change; default: the option state_verbose", func(v string) error {
		low := strings.ToLower(v)
		if low != "true" && low != "false" {
			return choice(v, []string{"True", "False"})
		}
		yes := low == "true"
		f.verbose = &yes
		return nil
	})
	s.Values("--state-verbose", "True", "False")
	s.Bool(&f.diff, "--output-diff --out-diff --state-output-diff --state_output_diff", "highstate shows only what changed or failed")
	s.Bool(&f.noColor, "--no-color --no-colour", "no colours")
	s.Bool(&f.color, "--force-color --force-colour", "use colours even if the output is not a terminal")
}

// Machine reports whether the output is for programs, which allows nothing but
// results.
func (f *Output) Machine() bool { return f.Outputter == "json" || f.Outputter == "yaml" }

// Options returns the options of the outputters.
func (f *Output) Options(out io.Writer) output.Options {
	o := output.Options{Color: f.color, Indent: f.indent, States: f.states, Table: f.table, Theme: f.theme}
	o.States.Output = cmp.Or(f.stateOutput, o.States.Output)
	o.States.Diff = o.States.Diff || f.diff
	if f.verbose != nil {
		o.States.Brief = !*f.verbose
	}
	terminal.Allow(out, f.theme.Sequences()...)
	switch {
	case f.noColor:
		o.Color = false
	case f.color:
	case f.paint != "":
		o.Color = f.paint == "true"
	case f.File == "":
		o.Color = terminal.Is(out)
	}
	return o
}

// Open opens the output for results; close it at the end.
func (f *Output) Open(stdout io.Writer) (io.WriteCloser, error) {
	if f.File == "" {
		return nopWriteCloser{stdout}, nil
	}
	mode := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if f.appendFile {
		mode = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	w, err := os.OpenFile(f.File, mode, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--out-file: %w", err)
	}
	return w, nil
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
