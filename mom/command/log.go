package command

import (
	"cmp"
	"io"
	"log/slog"

	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/mom/options"
)

// Log are the options of the commands' own log. Levels are those that LogLevel lets
// pass.
type Log struct {
	Level     string // of standard error; "": warning
	File      string // "": none
	FileLevel string // "": as Level
}

// Register adds the options to those of a command.
func (f *Log) Register(s *options.Set) { f.register(s, "-l ") }

// RegisterLong is Register for a command whose option -l is another one.
func (f *Log) RegisterLong(s *options.Set) { f.register(s, "") }

func (f *Log) register(s *options.Set, short string) {
	s.Group("Logging Options")
	s.Func(short+"--log-level", "LEVEL", "what is told on standard error: all, garbage, trace, debug, profile, info, warning, error, critical, quiet; default: warning", LogLevel(&f.Level))
	s.Values("--log-level", daemon.Levels()...)
	s.Text(&f.File, "--log-file", "FILE", "keep a log of this command in a file")
	s.Func("--log-file-level", "LEVEL", "what that file is told; default: as --log-level", LogLevel(&f.FileLevel))
	s.Values("--log-file-level", daemon.Levels()...)
}

// Open gives the log and what closes it.
func (f *Log) Open(errOut io.Writer) (*slog.Logger, io.Closer, error) {
	console, err := daemon.Level(cmp.Or(f.Level, "warning"))
	if err != nil {
		return nil, nil, err
	}
	file, err := daemon.Level(cmp.Or(f.FileLevel, f.Level, "warning"))
	if err != nil {
		return nil, nil, err
	}
	return daemon.OpenLog(daemon.LogOptions{Console: errOut, ConsoleLevel: console, File: f.File, FileLevel: file})
}

// LogLevel reads the value of an option that is a level into *p.
func LogLevel(p *string) func(string) error {
	return func(v string) error {
		if _, err := daemon.Level(v); err != nil {
			return &options.Error{Text: err.Error()}
		}
		*p = v
		return nil
	}
}
