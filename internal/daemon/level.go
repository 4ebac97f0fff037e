package daemon

import (
	"fmt"
	"log/slog"
	"strings"
)

// Levels in addition to those of slog, in Salt's order.
const (
	LevelGarbage  = slog.Level(-16)
	LevelTrace    = slog.Level(-8)
	LevelProfile  = slog.Level(-2)
	LevelCritical = slog.Level(12)
	LevelQuiet    = slog.Level(100)
)

var levels = []struct {
	name  string
	level slog.Level
}{
	{"all", slog.Level(-100)},
	{"garbage", LevelGarbage},
	{"trace", LevelTrace},
	{"debug", slog.LevelDebug},
	{"profile", LevelProfile},
	{"info", slog.LevelInfo},
	{"warning", slog.LevelWarn},
	{"error", slog.LevelError},
	{"critical", LevelCritical},
	{"quiet", LevelQuiet},
}

// Level parses Salt's name of a level.
func Level(name string) (slog.Level, error) {
	names := make([]string, 0, len(levels))
	for _, l := range levels {
		if l.name == strings.ToLower(name) {
			return l.level, nil
		}
		names = append(names, "'"+l.name+"'")
	}
	return 0, fmt.Errorf("invalid choice: '%s' (choose from %s)", name, strings.Join(names, ", "))
}

// Levels returns the names of all levels, as in Salt's option log_level.
func Levels() []string {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.name
	}
	return names
}

// levelName returns the name of a level in Salt's log lines.
func levelName(l slog.Level) string {
	switch {
	case l >= LevelCritical:
		return "CRITICAL"
	case l >= slog.LevelError:
		return "ERROR"
	case l >= slog.LevelWarn:
		return "WARNING"
	case l >= slog.LevelInfo:
		return "INFO"
	case l >= LevelProfile:
		return "PROFILE"
	case l >= slog.LevelDebug:
		return "DEBUG"
	case l >= LevelTrace:
		return "TRACE"
	}
	return "GARBAGE"
}
