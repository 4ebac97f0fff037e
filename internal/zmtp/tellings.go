package zmtp

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// tellPause is the interval at which one of many cuts is logged as a warning.
const tellPause = time.Minute

// tellings limits warnings about events of one kind. All of them are counted ([HostStats]).
type tellings struct{ last atomic.Int64 }

// level returns the log level for an event at now.
func (t *tellings) level(now time.Time) slog.Level {
	last := t.last.Load()
	if last != 0 && now.UnixNano()-last < int64(tellPause) || !t.last.CompareAndSwap(last, now.UnixNano()) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}
