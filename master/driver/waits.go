package driver

import (
	"context"
	"fmt"
	"sync"

	"github.com/momtree/mom/master/server"
)

// storedWaits are requests that wait until the words they brought are on disk. The zero
// value is ready.
type storedWaits struct {
	mu     sync.Mutex
	waits  []storedWait
	upTo   uint64 // stored, or refused, up to this number
	failed error  // why the last were not
	from   uint64 // those from here on
	told   chan struct{}
}

type storedWait struct {
	upTo uint64
	err  chan error
}

// tell ends the waits up to a number.
func (w *storedWaits) tell(upTo uint64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil || w.failed == nil { // a first failure, or an end of them
		w.from = w.upTo + 1
	}
	w.upTo, w.failed = max(w.upTo, upTo), err
	rest := w.waits[:0]
	for _, x := range w.waits {
		if x.upTo <= upTo {
			x.err <- err
		} else {
			rest = append(rest, x)
		}
	}
	clear(w.waits[len(rest):])
	w.waits = rest
	if w.told != nil {
		close(w.told)
		w.told = nil
	}
}

// next gives a channel that is closed when tell is called the next time.
func (w *storedWaits) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told == nil {
		w.told = make(chan struct{})
	}
	return w.told
}

func (w *storedWaits) add(upTo uint64) <-chan error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := make(chan error, 1)
	switch {
	case upTo > w.upTo:
		w.waits = append(w.waits, storedWait{upTo, c})
	case upTo < w.from:
		c <- nil
	default:
		c <- w.failed
	}
	return c
}

// Booked waits until all words up to a number are stored, or could not be just now.
func (d *Driver) Booked(ctx context.Context, upTo uint64) error {
	select {
	case err := <-d.stored.add(upTo):
		if err != nil {
			return fmt.Errorf("%w: %w", server.ErrNotStored, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", server.ErrNotStored, ctx.Err())
	case <-d.o.Ctx.Done():
		return fmt.Errorf("%w: %w", server.ErrNotStored, d.o.Ctx.Err())
	}
}

// Room waits while more words on jobs wait for the disk than may.
func (d *Driver) Room(ctx context.Context) error {
	for {
		again := d.stored.next() // before it is counted
		if d.o.Engine.Crowd() <= d.o.Waiting {
			return nil
		}
		select {
		case <-again:
		case <-ctx.Done():
			return fmt.Errorf("wait until words of jobs are stored: %w", ctx.Err())
		case <-d.o.Ctx.Done():
			return fmt.Errorf("wait until words of jobs are stored: %w", d.o.Ctx.Err())
		}
	}
}
