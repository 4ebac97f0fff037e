package command

import (
	"cmp"
	"io"
	"log/slog"

	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/mom/options"
)

// Log holds the options of the commands' own log. Levels are those that LogLevel
// accepts.
type Log struct {
	Level     string // level of standard error; "": warning
	File      string // "": none
	FileLevel string // "": as Level
}

// Register adds the options to a command.
func (f *Log) Register(s *options.Set) { f.register(s, "-l ") }

// RegisterLong is Register for a command whose -l is another option.
func (f *Log) RegisterLong(s *options.Set) { f.register(s, "") }

func (f *Log) register(s *options.Set, short string) {
	s.Group("Logging Options")
	s.Func(short+"--log-level", "LEVEL", "level of messages on standard error: all, garbage, trace, debug, profile, info, warning, error, critical, quiet; default: warning", LogLevel(&f.Level))
	s.Values("--log-level", daemon.Levels()...)
	s.Text(&f.File, "--log-file", "FILE", "keep a log of this command in a file")
	s.Func("--log-file-level", "LEVEL", "level of messages in that file; default: as --log-level", LogLevel(&f.FileLevel))
	s.Values("--log-file-level", daemon.Levels()...)
}

// Open opens the log and returns a function that closes it.
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

// LogLevel returns a function that parses a level into *p.
func LogLevel(p *string) func(string) error {
	return func(v string) error {
		if _, err := daemon.Level(v); err != nil {
			return &options.Error{Text: err.Error()}
		}
		*p = v
		return nil
	}
}
