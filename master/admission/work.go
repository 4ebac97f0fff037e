package admission

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// lightWork is the number of values up to which a request is not counted: hundreds of
	// them take a few megabytes.
	lightWork = 4096
	// workWait is how long a request waits for room.
	workWait = 10 * time.Second
)

// ErrBusy says that there was no room for a request in time.
var ErrBusy = errors.New("too many values are being processed")

// Work limits the values of requests decoded and processed at once: an empty map takes one byte on
// the wire and a hundred in memory. Requests wait in order of arrival; one larger than the bound
// is served alone.
type Work struct {
	total int64
	room  *semaphore.Weighted
}

// NewWork allows so many values at once.
func NewWork(values int) *Work {
	return &Work{total: int64(values), room: semaphore.NewWeighted(int64(values))}
}

// Begin blocks until there is room for a request of so many values. done releases it. The error is
// [ErrBusy] after ten seconds, or that of ctx.
func (w *Work) Begin(ctx context.Context, values int) (done func(), err error) {
	n := min(int64(values), w.total)
	if values <= lightWork && n < w.total || n == 0 {
		return func() {}, nil
	}
	if !w.room.TryAcquire(n) {
		wait, cancel := context.WithTimeout(ctx, workWait)
		defer cancel()
		if err := w.room.Acquire(wait, n); err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("wait for other requests: %w", ctx.Err())
			}
			return nil, ErrBusy
		}
	}
	return func() { w.room.Release(n) }, nil
}
