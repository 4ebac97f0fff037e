package zmtp

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// warnPause is the interval at which one of many cuts is logged as a warning.
const warnPause = time.Minute

// warnings limits warnings about events of one kind. All of them are counted ([HostStats]).
type warnings struct{ last atomic.Int64 }

// level returns the log level for an event at now.
func (w *warnings) level(now time.Time) slog.Level {
	last := w.last.Load()
	if last != 0 && now.UnixNano()-last < int64(warnPause) || !w.last.CompareAndSwap(last, now.UnixNano()) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}
