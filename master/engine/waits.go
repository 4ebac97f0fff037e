package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrNotStored is wrapped where nothing can be stored now, whatever it is. The sender
// tries again.
var ErrNotStored = errors.New("not stored")

// storedWaits are those who wait until the records they brought are on disk. The zero
// value is ready.
type storedWaits struct {
	mu      sync.Mutex
	waits   []storedWait
	upTo    uint64 // stored, or refused, up to this number
	failed  error  // why the last were not
	from    uint64 // those from here on
	settled chan struct{}
}

type storedWait struct {
	upTo uint64
	then func(error)
}

// settle ends the waits up to a number.
func (w *storedWaits) settle(upTo uint64, err error) {
	for _, then := range w.end(upTo, err) {
		then(err)
	}
}

// end takes out the waits up to a number.
func (w *storedWaits) end(upTo uint64, err error) (over []func(error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil || w.failed == nil { // a first failure, or an end of them
		w.from = w.upTo + 1
	}
	w.upTo, w.failed = max(w.upTo, upTo), err
	rest := w.waits[:0]
	for _, x := range w.waits {
		if x.upTo <= upTo {
			over = append(over, x.then)
		} else {
			rest = append(rest, x)
		}
	}
	clear(w.waits[len(rest):])
	w.waits = rest
	if w.settled != nil {
		close(w.settled)
		w.settled = nil
	}
	return over
}

// next returns a channel that is closed when settle is called the next time.
func (w *storedWaits) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.settled == nil {
		w.settled = make(chan struct{})
	}
	return w.settled
}

// add enters a wait, or reports what is known already.
func (w *storedWaits) add(upTo uint64, then func(error)) (err error, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case upTo > w.upTo:
		w.waits = append(w.waits, storedWait{upTo, then})
		return nil, false
	case upTo < w.from:
		return nil, true
	default:
		return w.failed, true
	}
}

// Settle carries out a [Stored] effect: it ends the waits for what is stored, or could not be.
func (e *Engine) Settle(s Stored) { e.waits.settle(s.UpTo, s.Err) }

// WhenStored calls then when all records up to a number are on disk, or with an error that
// wraps [ErrNotStored] when they could not be stored now. It may call then at once, else
// [Engine.Settle] does.
func (e *Engine) WhenStored(upTo uint64, then func(error)) {
	wrapped := func(err error) {
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrNotStored, err)
		}
		then(err)
	}
	if err, known := e.waits.add(upTo, wrapped); known {
		wrapped(err)
	}
}

// WaitStored waits until all records up to a number are on disk. Its error wraps
// [ErrNotStored].
func (e *Engine) WaitStored(ctx context.Context, upTo uint64) error {
	stored := make(chan error, 1)
	e.WhenStored(upTo, func(err error) { stored <- err })
	select {
	case err := <-stored:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrNotStored, ctx.Err())
	case <-e.cfg.Done:
		return fmt.Errorf("%w: the master ends", ErrNotStored)
	}
}

// WaitRoom waits while more records wait for the disk than may (bound word_queue).
func (e *Engine) WaitRoom(ctx context.Context) error {
	for {
		again := e.waits.next() // before it is counted
		if e.Crowd() <= e.cfg.Bounds.WordQueue {
			return nil
		}
		select {
		case <-again:
		case <-ctx.Done():
			return fmt.Errorf("wait until job records are stored: %w", ctx.Err())
		case <-e.cfg.Done:
			return errors.New("wait until job records are stored: the master ends")
		}
	}
}
