package master

import (
	"log/slog"

	"github.com/momtree/mom/internal/logthrottle"
)

// failing logs what is tried again every second while its cause lasts, such as a
// full disk: the same of the same cause once in ten seconds, with how often it was.
func (m *Master) failing(what string, err error, about ...any) {
	level, n := slog.LevelError, m.failures.Note([2]string{what, logthrottle.Cause(err)}, m.now())
	if n == 0 {
		level = slog.LevelDebug
	}
	m.log.Log(m.ctx, level, what, append(about, "count", n, "err", err)...)
}
