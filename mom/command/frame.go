package command

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/callargs"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/options"
)

// Frame is the part that Salt's commands share: their common options, and what is opened before
// the work and closed after it.
type Frame struct {
	Dir    string // directory of the configuration
	Output Output
	Login  Login
	API    API
	Logs   Log

	stdin   bool
	noParse string
}

// RegisterDir adds the option for the configuration directory; file is the file that is read
// there.
func (f *Frame) RegisterDir(s *options.Set, file string) {
	f.Dir = config.DefaultDir()
	s.Text(&f.Dir, "-c --config-dir", "DIR", "directory with the file "+file+"; default: /etc/salt")
}

// RegisterWords adds the options for reading arguments of functions.
func (f *Frame) RegisterWords(s *options.Set) {
	s.Bool(&f.stdin, "--args-stdin", "read one more argument from each line of standard input")
	s.Text(&f.noParse, "--no-parse", "NAMES", "keyword arguments, separated by commas, whose values stay text")
}

// RegisterMaster adds the options for output, for the connection to the master, and for the
// log.
func (f *Frame) RegisterMaster(s *options.Set) {
	f.Output.Register(s)
	f.Login.Register(s)
	f.API.Register(s)
	f.Logs.Register(s)
}

// Words returns the words of the command line, with --args-stdin followed by those of standard input.
func (f *Frame) Words(cmd *cobra.Command, words []string) ([]string, error) {
	if !f.stdin {
		return words, nil
	}
	more, err := StdinWords(cmd.InOrStdin())
	return append(words, more...), err
}

// Arguments parses words as arguments of a function.
func (f *Frame) Arguments(words []string) []any { return callargs.Parse(words, f.Unparsed()) }

// Unparsed returns the keyword arguments whose values stay text.
func (f *Frame) Unparsed() []string {
	return strings.FieldsFunc(f.noParse, func(r rune) bool { return r == ',' })
}

// Work is a run of a command.
type Work struct {
	Frame *Frame
	Cmd   *cobra.Command
	Log   *slog.Logger
	// Stdout and Stderr are for text that people read.
	Stdout, Stderr io.Writer

	own     *client.Client
	closers []func() error
}

// Run opens the log, does the work, and closes what was opened, in reverse order.
func (f *Frame) Run(cmd *cobra.Command, do func(w *Work) error) (err error) {
	w := &Work{Frame: f, Cmd: cmd, Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr()}
	defer func() {
		for i := len(w.closers) - 1; i >= 0; i-- {
			err = errors.Join(err, w.closers[i]())
		}
	}()
	log, closer, err := f.Logs.Open(w.Stderr)
	if err != nil {
		return err
	}
	w.Log = log
	w.Finally(closer.Close)
	return do(w)
}

// Finally registers a function that is called after the work.
func (w *Work) Finally(fn func() error) { w.closers = append(w.closers, fn) }

// Results opens the output for results: standard output, or the file of --out-file.
func (w *Work) Results() (io.Writer, error) { return w.ResultsTo(w.Stdout) }

// ResultsTo is Results for a command with another standard output.
func (w *Work) ResultsTo(stdout io.Writer) (io.Writer, error) {
	to, err := w.Frame.Output.Open(stdout)
	if err != nil {
		return nil, err
	}
	w.Finally(to.Close)
	return to, nil
}

// warn prints a warning to the user, at each run and at any log level.
func (w *Work) warn(format string, args ...any) {
	_, _ = fmt.Fprintf(w.Stderr, "[WARNING ] "+format+"\n", args...) // nowhere else to report it
}
