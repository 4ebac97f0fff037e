package zmtp

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// tellPause is how often one of many cuts is a warning.
const tellPause = time.Minute

// tellings has one of many of a kind told aloud. All of them are counted ([HostStats]).
type tellings struct{ last atomic.Int64 }

// level is that of what happens now.
func (t *tellings) level(now time.Time) slog.Level {
	last := t.last.Load()
	if last != 0 && now.UnixNano()-last < int64(tellPause) || !t.last.CompareAndSwap(last, now.UnixNano()) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}
