package modules

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// logLevel is an output_loglevel: the log level of a command's output.
type logLevel struct {
	quiet bool // log nothing of the command
	level slog.Level
}

// levels are Salt's names of log levels.
var levels = map[string]slog.Level{
	"garbage": slog.LevelDebug - 8, "trace": slog.LevelDebug - 4, "debug": slog.LevelDebug,
	"profile": slog.LevelDebug + 2, "info": slog.LevelInfo, "warning": slog.LevelWarn,
	"error": slog.LevelError, "critical": slog.LevelError + 4,
}

func parseLevel(v any) (logLevel, error) {
	if v == nil {
		return logLevel{level: slog.LevelDebug}, nil
	}
	name := strings.ToLower(PyStr(v))
	if name == "quiet" {
		return logLevel{quiet: true}, nil
	}
	l, ok := levels[name]
	if !ok {
		return logLevel{}, InvocationErrorf("output_loglevel %s is not a level; levels are quiet, %s",
			PyRepr(v), strings.Join(slices.Sorted(maps.Keys(levels)), ", "))
	}
	return logLevel{level: l}, nil
}

// report logs the result of a command; that of a failed one at least as an error.
func (l logLevel) report(ctx context.Context, log *slog.Logger, cmd *command, r commandResult) {
	if l.quiet {
		return
	}
	level := l.level
	if !cmd.ignoreRetcode && r.Retcode != 0 {
		level = max(level, slog.LevelError)
		log.Log(ctx, level, "command failed", "cmd", cmd.name, "retcode", r.Retcode)
	}
	if !log.Enabled(ctx, level) {
		return
	}
	for _, s := range []struct{ name, text string }{{"stdout", r.Stdout}, {"stderr", r.Stderr}} {
		if s.text != "" {
			log.Log(ctx, level, "command output", "cmd", cmd.name, "stream", s.name, "text", s.text)
		}
	}
}
