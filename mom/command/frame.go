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
	"github.com/momtree/mom/mom/options"
)

// Frame is what Salt's commands have around their work: the options that they share, and
// what is opened before the work and closed after it.
type Frame struct {
	Dir    string // of the configuration
	Output Output
	Login  Login
	API    API
	Logs   Log

	stdin   bool
	noParse string
}

// RegisterDir adds the option for the folder of the configuration; file is the one there
// that counts.
func (f *Frame) RegisterDir(s *options.Set, file string) {
	f.Dir = "/etc/salt"
	s.Text(&f.Dir, "-c --config-dir", "DIR", "folder with the file "+file+"; default: /etc/salt")
}

// RegisterWords adds the options that say how the arguments of functions are read.
func (f *Frame) RegisterWords(s *options.Set) {
	s.Bool(&f.stdin, "--args-stdin", "read one more argument from each line of standard input")
	s.Text(&f.noParse, "--no-parse", "NAMES", "keyword arguments, separated by commas, whose values stay text")
}

// RegisterMaster adds the options that say how results are shown, how the master is asked,
// and what is logged.
func (f *Frame) RegisterMaster(s *options.Set) {
	f.Output.Register(s)
	f.Login.Register(s)
	f.API.Register(s)
	f.Logs.Register(s)
}

// Words are those of the line, and with --args-stdin those of standard input behind them.
func (f *Frame) Words(cmd *cobra.Command, words []string) ([]string, error) {
	if !f.stdin {
		return words, nil
	}
	more, err := StdinWords(cmd.InOrStdin())
	return append(words, more...), err
}

// Arguments reads words as arguments of a function.
func (f *Frame) Arguments(words []string) []any { return callargs.Parse(words, f.Unparsed()) }

// Unparsed are the keyword arguments whose values stay text.
func (f *Frame) Unparsed() []string {
	return strings.FieldsFunc(f.noParse, func(r rune) bool { return r == ',' })
}

// Work is one run of a command.
type Work struct {
	Frame *Frame
	Cmd   *cobra.Command
	Log   *slog.Logger
	// Stdout and Stderr are where a person reads.
	Stdout, Stderr io.Writer

	own     *client.Client
	closers []func() error
}

// Run opens the log, does the work, and closes what was opened on the way, the last first.
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

// Finally has something closed when the work is done.
func (w *Work) Finally(fn func() error) { w.closers = append(w.closers, fn) }

// Results opens where results go: standard output, or the file of --out-file.
func (w *Work) Results() (io.Writer, error) { return w.ResultsTo(w.Stdout) }

// ResultsTo is Results for a command whose standard output is another.
func (w *Work) ResultsTo(stdout io.Writer) (io.Writer, error) {
	to, err := w.Frame.Output.Open(stdout)
	if err != nil {
		return nil, err
	}
	w.Finally(to.Close)
	return to, nil
}

// warn tells the user of a danger, at each run and whatever the log shows.
func (w *Work) warn(format string, args ...any) {
	_, _ = fmt.Fprintf(w.Stderr, "[WARNING ] "+format+"\n", args...) // there is nowhere else to tell
}
