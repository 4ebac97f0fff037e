package timing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/momtree/mom/internal/durable"
)

// mostFile bounds the size of the file.
const mostFile = 256

// read returns this clock and the wall clock as an earlier run saved them; zero if it did not,
// or if they cannot be read.
func (c *Clock) read() (left, wall time.Time) {
	if c.o.File == "" {
		return left, wall
	}
	f, err := os.Open(c.o.File)
	if errors.Is(err, fs.ErrNotExist) {
		return left, wall
	}
	if err == nil {
		b := make([]byte, mostFile)
		n, _ := f.Read(b)
		_ = f.Close()
		if left, wall, err = parse(string(b[:n])); err == nil {
			return left, wall
		}
	}
	c.o.Log.Warn("saved age clock unreadable, starting over", "path", c.o.File, "err", err)
	return time.Time{}, time.Time{}
}

// form is the line in the file: both clocks in microseconds since 1970.
const form = "age %d wall %d\n"

// most is the highest valid value: nanoseconds cannot represent a time after 2262.
const most = 9_000_000_000_000_000

func parse(text string) (left, wall time.Time, err error) {
	var a, w int64
	if _, err := fmt.Sscanf(text, form, &a, &w); err != nil {
		return left, wall, fmt.Errorf("it does not read \"age N wall N\": %w", err)
	}
	if a <= 0 || w <= 0 || a > most || w > most {
		return left, wall, fmt.Errorf("it names the times %d and %d, which are none", a, w)
	}
	return time.UnixMicro(a).UTC(), time.UnixMicro(w).UTC(), nil
}

// Save writes the clock to its file. It is not synced: after a power failure an older value
// only makes things be kept for longer. During a jump it writes the wall clock as it should be,
// so that the next run sees the jump too.
func (c *Clock) Save() error {
	if c.o.File == "" {
		return nil
	}
	c.mu.Lock()
	now := c.start.Add(c.o.Running())
	wall := now.Add(c.ahead)
	c.mu.Unlock()
	if err := durable.WriteFileLazy(c.o.File, fmt.Appendf(nil, form, now.UnixMicro(), wall.UnixMicro()), 0o600); err != nil {
		return fmt.Errorf("keep the clock of ages: %w", err)
	}
	return nil
}
