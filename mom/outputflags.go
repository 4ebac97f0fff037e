package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/mom/options"
)

// outputFlags are the options that say how results are shown.
type outputFlags struct {
	outputter, file string
	appendFile      bool
	indent          *int
	noColor, color  bool
}

func (f *outputFlags) register(s *options.Set) {
	s.Group("Output Options")
	s.Text(&f.outputter, "--out --output", "OUTPUT", "how results are written: nested, json, yaml, txt, raw, newline_values_only, quiet; default: nested")
	s.Func("--out-indent --output-indent", "N", "blanks per level of json and yaml; a negative number gives one line", func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil {
			return &options.Error{Text: fmt.Sprintf("invalid integer value: '%s'", v)}
		}
		f.indent = &n
		return nil
	})
	s.Text(&f.file, "--out-file --output-file", "FILE", "write the results to this file")
	s.Bool(&f.appendFile, "--out-file-append --output-file-append", "add to the file of --out-file instead of replacing what it holds")
	s.Bool(&f.noColor, "--no-color --no-colour", "no colours")
	s.Bool(&f.color, "--force-color --force-colour", "colours, even when the output is no terminal")
}

// machine tells whether the output is one that programs read, which nothing but
// results may be part of.
func (f *outputFlags) machine() bool { return f.outputter == "json" || f.outputter == "yaml" }

// options gives what the outputters need to know.
func (f *outputFlags) options(out io.Writer) output.Options {
	o := output.Options{Color: f.color, Indent: f.indent}
	if file, ok := out.(*os.File); ok && !f.noColor && f.file == "" {
		o.Color = o.Color || term.IsTerminal(int(file.Fd())) //nolint:gosec // a descriptor fits
	}
	if f.noColor {
		o.Color = false
	}
	return o
}

// check tells of an unknown outputter and uses nested instead, as Salt does.
func (f *outputFlags) check(errOut io.Writer) {
	if !output.Known(f.outputter) {
		fmt.Fprintf(errOut, "[ERROR   ] Invalid outputter %s specified, fall back to nested\n", f.outputter) //nolint:errcheck // nowhere else to tell
		f.outputter = "nested"
	}
}

// open gives where results go; close it at the end.
func (f *outputFlags) open(stdout io.Writer) (io.WriteCloser, error) {
	if f.file == "" {
		return nopWriteCloser{stdout}, nil
	}
	mode := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if f.appendFile {
		mode = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	w, err := os.OpenFile(f.file, mode, 0o644) //nolint:gosec // named by the user
	if err != nil {
		return nil, fmt.Errorf("--out-file: %w", err)
	}
	return w, nil
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

// logFlags are the options of the commands' own log.
type logFlags struct{ level, file, fileLevel string }

func (f *logFlags) register(s *options.Set) {
	s.Group("Logging Options")
	level := func(p *string) func(string) error {
		return func(v string) error {
			if _, err := daemon.Level(v); err != nil {
				return &options.Error{Text: err.Error()}
			}
			*p = v
			return nil
		}
	}
	s.Func("-l --log-level", "LEVEL", "what is told on standard error: all, garbage, trace, debug, profile, info, warning, error, critical, quiet; default: warning", level(&f.level))
	s.Text(&f.file, "--log-file", "FILE", "keep a log of this command in a file")
	s.Func("--log-file-level", "LEVEL", "what that file is told; default: as --log-level", level(&f.fileLevel))
}

func (f *logFlags) open(errOut io.Writer) (*slog.Logger, io.Closer, error) {
	console, err := daemon.Level(cmp.Or(f.level, "warning"))
	if err != nil {
		return nil, nil, err
	}
	file, err := daemon.Level(cmp.Or(f.fileLevel, f.level, "warning"))
	if err != nil {
		return nil, nil, err
	}
	return daemon.OpenLog(daemon.LogOptions{Console: errOut, ConsoleLevel: console, File: f.file, FileLevel: file})
}
