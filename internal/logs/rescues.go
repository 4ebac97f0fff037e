package logs

import (
	"log/slog"
	"maps"
	"sync"
	"time"
)

// RescueWarning is the text of the line in the log by which a rescue is told.
const RescueWarning = "Rescued what should have gone by itself; please report it"

// Rescues counts rescues of one daemon. A nil Rescues counts nothing, for parts
// that are used without a daemon. It may be used by several goroutines.
type Rescues struct {
	log *slog.Logger
	now func() time.Time

	mu     sync.Mutex
	counts map[string]uint64
	told   Throttle[string]
}

// NewRescues makes a Rescues that warns by log (nil: slog.Default) on the clock now (nil:
// time.Now).
func NewRescues(log *slog.Logger, now func() time.Time) *Rescues {
	if log == nil {
		log = slog.Default()
	}
	if now == nil {
		now = time.Now
	}
	return &Rescues{log: log, now: now, counts: map[string]uint64{}}
}

// Found tells that by, the name of a sweep or timer in a few words ("forwarding
// sweep"), has found what, which has waited for since; 0 if that is not known.
// Attrs say where, as those of slog. The names of by are few and constant: they are
// the label of the metric. What happens again within ten seconds is counted and
// told with the next warning.
func (c *Rescues) Found(by, what string, since time.Duration, attrs ...any) {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.counts[by]++
	total := c.counts[by]
	c.mu.Unlock()
	n := c.told.Note(by, c.now())
	if n == 0 {
		return
	}
	said := append([]any{"by", by, "found", what, "since", since.Round(time.Millisecond), "times", n, "total", total}, attrs...)
	c.log.Warn(RescueWarning, said...)
}

// Counts gives how often each has found something, since the start.
func (c *Rescues) Counts() map[string]uint64 {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// Total is the sum of [Rescues.Counts].
func (c *Rescues) Total() (n uint64) {
	for _, k := range c.Counts() {
		n += k
	}
	return n
}
