package admission

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// lightWork is how many values a request may have that is let pass uncounted:
	// hundreds of them at once are a few megabytes.
	lightWork = 4096
	// workWait is how long a request waits for others to be done.
	workWait = 10 * time.Second
)

// ErrBusy says that requests with as many values as may be at work have not ended in
// time.
var ErrBusy = errors.New("too many values are being worked on")

// Work bounds the values of requests that are decoded and worked on at once: an empty
// map takes one byte on the wire and a hundred in memory. Whoever finds no room waits
// in the order of arrival; a request larger than the bound is served alone.
type Work struct {
	total int64
	room  *semaphore.Weighted
}

// NewWork lets requests of so many values together be at work.
func NewWork(values int) *Work {
	return &Work{total: int64(values), room: semaphore.NewWeighted(int64(values))}
}

// Begin waits for room for a request of so many values. done gives it back. The error
// is [ErrBusy], or that of the context.
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
				return nil, fmt.Errorf("wait for others: %w", ctx.Err())
			}
			return nil, ErrBusy
		}
	}
	return func() { w.room.Release(n) }, nil
}
