package modules

import (
	"context"
	"fmt"
	"log/slog"
)

func init() {
	for name, level := range map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warning": slog.LevelWarn, "error": slog.LevelError,
		"exception": slog.LevelError, "critical": slog.LevelError + 4,
	} {
		Register("log", Function{
			Name: name, Args: []Arg{{Name: "message", Required: true}}, Run: logAt(level),
			Doc: fmt.Sprintf(`
Write message to the log of the minion at the level %s, and return True. Templates use
it to show what they do.

CLI Example:

    salt '*' log.%s 'hello'
`, level, name),
		})
	}
}

// logAt returns a function that logs the message of a call.
func logAt(level slog.Level) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		logger(c.Env).Log(ctx, level, PyStr(c.Args[0])) //nolint:sloglint // the caller's text
		return true, nil
	}
}
